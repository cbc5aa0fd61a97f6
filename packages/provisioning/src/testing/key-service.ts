import type { AuditRecord, KeyMint } from '@storey/contract'
import type { Log } from '@storey/kit/log'
import { startTestRealm } from '@storey/kit/testing'
import { operatorAudit } from '../operator.ts'
import { testControlPlane } from './control-plane.ts'

/** A control plane with a developers realm, and sessions for tests of keys. */
export async function testKeyService(
  log?: Log,
  further: Parameters<typeof testControlPlane>[2] = {},
  changes: Parameters<typeof testControlPlane>[0] = {},
) {
  const realm = await startTestRealm('/realms/developers')
  const service = await testControlPlane({ developersIssuer: realm.issuer, ...changes }, log, further)
  const { call, control } = service

  const portal = (org_id: string, claims: object = {}) =>
    realm.sign({ sub: `sub-${org_id}`, azp: 'svc-portal', org_id, email: `ann@${org_id}.example`, ...claims })
  const cli = (org_id: string) => realm.sign({ sub: `sub-${org_id}`, azp: 'svc-cli', org_id })

  return {
    ...service,
    realm,
    portal,
    cli,
    mint: (session: string, body: Partial<KeyMint> = {}) =>
      call({ key: session, path: '/api/v1/keys', body: { label: 'ci', ...body } }),
    list: (key: string, query = '') => call({ key, path: `/api/v1/keys${query}` }),
    revoke: (key: string, keyId: string) => call({ key, path: `/api/v1/keys/${keyId}`, method: 'DELETE' }),
    audit: (key: string, query = '') => call({ key, path: `/api/v1/keys/audit${query}` }),
    /** The audit rows that the operator sees: those of an organization or, with null, those without an organization. */
    rows: async (organizationId: string | null): Promise<AuditRecord[]> =>
      (await operatorAudit(control, organizationId, { limit: 500 })).data,
    async drop() {
      await service.drop()
      await realm.stop()
    },
  }
}

export type KeyService = Awaited<ReturnType<typeof testKeyService>>
