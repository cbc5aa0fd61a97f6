import { PLATFORM_ADMINISTRATOR, problems, type SandboxConnection } from '@storey/contract'
import type { TokenSigner } from '@storey/kit/tokens'
import { toRecord } from './record.ts'
import { refuseSuspended } from './refuse-suspended.ts'
import type { SandboxDeps } from './sandbox-deps.ts'
import type { SandboxRow } from './sandboxes.store.ts'

/**
 * The sandbox's own token. Its holder is platform administrator of this sandbox only. The token is derived from the
 * record, so it stays the same after a reset, and after an extension it has a later expiry.
 */
export function sandboxToken(signer: TokenSigner, row: SandboxRow): Promise<string> {
  return signer.sign({
    sub: row.id,
    aud: row.id,
    azp: row.id,
    tenant_id: row.tenantId,
    realm_access: { roles: [PLATFORM_ADMINISTRATOR] },
    iat: Math.floor(row.createdAt.getTime() / 1000),
    exp: Math.floor(row.expiresAt.getTime() / 1000),
  })
}

export async function connectSandbox(deps: SandboxDeps, row: SandboxRow): Promise<SandboxConnection> {
  refuseSuspended(row)
  if (row.status === 'failed') throw problems.conflict('status', 'The sandbox has failed: reset or delete it')
  const { apiUrl, consoleUrl, organizationId, siteId, buildingId } = toRecord(row, deps)
  if (row.status === 'provisioning' || siteId === null || buildingId === null) {
    throw problems.notReady('The sandbox is being provisioned', 2)
  }
  const token = await sandboxToken(deps.signer, row)
  const pathUrl = deps.addresses.pathUrl(row.slug)
  return { apiUrl, pathUrl, consoleUrl, token, organizationId, siteId, buildingId, mqtt: deps.mqttOf(row) }
}
