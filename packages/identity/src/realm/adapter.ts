import type { Database } from '@storey/kit/database'
import { type Adapter, type AdapterFactory, type AdapterPayload, errors, Provider } from 'oidc-provider'
import { clientMetadata, type ShellOriginOf } from '../clients/client-metadata.ts'
import * as clients from '../clients/clients.store.ts'
import type { Vault } from '../vault.ts'
import * as store from './models.store.ts'
import type { RealmName } from './names.ts'

export interface AdapterOptions {
  database: Database
  vault: Vault
  realm: RealmName
  shellOriginOf: ShellOriginOf
}

/**
 * The poll interval that devices are asked to keep. The enforced interval is shorter, because clocks and networks are
 * inexact.
 */
export const POLL_INTERVAL_S = 5
const POLL_GAP_S = 4
const HOUR_S = 3_600
const DAY_S = 86_400

/** The provider's storage in PostgreSQL. Clients have their own table; all other models share one table. */
export function createAdapter(options: AdapterOptions): AdapterFactory {
  return (model) => (model === 'Client' ? clientAdapter(options) : modelAdapter(options, model))
}

function modelAdapter({ database, vault, realm }: AdapterOptions, model: string): Adapter {
  const keyOf = (id: string) => ({ realm, model, id: vault.hmac(`${model}:${id}`) })
  const sealName = (id: Buffer) => `${realm}:${model}:${id.toString('base64url')}`

  function payloadOf(row: store.ModelRow | undefined): AdapterPayload | undefined {
    const text = row && vault.open(row.payload, sealName(row.id))
    if (text === undefined) return undefined
    const payload: AdapterPayload = JSON.parse(text)
    return row?.consumedAt ? { ...payload, consumed: Math.floor(row.consumedAt.getTime() / 1000) } : payload
  }

  return {
    async upsert(id, payload, expiresIn) {
      const key = keyOf(id)
      await store.upsertModel(database, key, {
        payload: vault.seal(JSON.stringify(payload), sealName(key.id)),
        grantId: model === 'Grant' ? id : payload.grantId,
        accountId: payload.accountId,
        clientId: payload.clientId,
        uid: payload.uid === undefined ? undefined : vault.hmac(`uid:${payload.uid}`),
        userCode: payload.userCode === undefined ? undefined : vault.hmac(`user-code:${payload.userCode}`),
        // A grant without tokens expires after a day.
        // A device code is kept for a while after its expiry, so that the device gets expired_token.
        expiresInS: model === 'Grant' ? DAY_S : (expiresIn ?? DAY_S) + (model === 'DeviceCode' ? HOUR_S : 0),
      })
      if (payload.grantId !== undefined && expiresIn !== undefined) {
        await store.prolongGrant(database, realm, payload.grantId, expiresIn)
      }
    },
    async find(id) {
      const payload = payloadOf(await store.findModel(database, keyOf(id)))
      // The poll interval is enforced here, because the provider does not do so.
      if (payload && model === 'DeviceCode' && Provider.ctx?.oidc.route === 'token') {
        if (!(await store.pollModel(database, keyOf(id), POLL_GAP_S))) throw new errors.SlowDown()
      }
      return payload
    },
    findByUid: async (uid) => payloadOf(await store.findByUid(database, { realm, model }, vault.hmac(`uid:${uid}`))),
    findByUserCode: async (code) =>
      payloadOf(await store.findByUserCode(database, { realm, model }, vault.hmac(`user-code:${code}`))),
    async consume(id) {
      if (!(await store.consumeModel(database, keyOf(id)))) throw new errors.InvalidGrant('already used')
    },
    destroy: (id) => store.deleteModel(database, keyOf(id)),
    revokeByGrantId: (grantId) => store.deleteByGrant(database, { realm, model }, grantId),
  }
}

/** Clients are read-only for the provider: there is no dynamic registration. */
function clientAdapter({ database, realm, shellOriginOf }: AdapterOptions): Adapter {
  const refuse = async () => {
    throw new Error('clients are not registered through the provider')
  }
  return {
    async find(clientId) {
      if (realm !== 'sandboxes' || !/^[\w.-]{1,100}$/.test(clientId)) return undefined
      const row = await clients.findClient(database, clientId)
      return row && clientMetadata(row, shellOriginOf)
    },
    upsert: refuse,
    findByUid: refuse,
    findByUserCode: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  }
}
