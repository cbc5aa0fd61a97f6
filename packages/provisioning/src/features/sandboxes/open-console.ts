import { type ConsoleSession, problems } from '@storey/contract'
import type { Caller } from '../../caller.ts'
import { refuseSuspended } from './refuse-suspended.ts'
import type { SandboxDeps } from './sandbox-deps.ts'
import type { SandboxRow } from './sandboxes.store.ts'

/** Who requests a link. */
export interface ConsoleRequest {
  caller: Caller
  clientAddress: string
  headers: { 'user-agent'?: string | undefined }
}

/** A link that signs the owner's browser in to the console. */
export async function openConsole(
  { ownerSession, shellDeployed }: SandboxDeps,
  request: ConsoleRequest,
  row: SandboxRow,
  path = '/',
): Promise<ConsoleSession> {
  const { status, tenantId, slug } = row
  if (!shellDeployed) throw problems.conflict('consoleUrl', 'This installation has no console')
  if (ownerSession === undefined) {
    throw problems.conflict(
      'sandboxesIssuer',
      'This installation uses an external identity provider, so it cannot create sign-in links: open consoleUrl',
    )
  }
  refuseSuspended(row)
  if (status === 'failed') throw problems.conflict('status', 'The sandbox has failed: reset or delete it')
  if (status === 'provisioning') throw problems.notReady('The sandbox is being provisioned', 2)
  const { developerId, actor } = request.caller
  const origin = { sandbox: { id: row.id, tenantId }, actor, request }
  const { url, expiresAt } = await ownerSession({ developerId, tenantId, slug, path, origin })
  return { url, expiresAt: expiresAt.toISOString() }
}
