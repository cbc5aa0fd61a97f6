import { problems } from '@storey/contract'
import type { TenantServers } from './tenant-servers.ts'

/** Throws if another control database uses one of these servers. A command calls this before it changes anything. */
export async function refuseForeign(
  servers: Pick<TenantServers, 'refusalOf'>,
  ...ids: readonly (string | null)[]
): Promise<void> {
  for (const id of new Set(ids)) {
    const refusal = id === null ? undefined : await servers.refusalOf(id)
    if (refusal !== undefined) throw problems.conflict('server', refusal[0]!.toUpperCase() + refusal.slice(1))
  }
}
