import { randomUUID } from 'node:crypto'
import { BASE62, checkQuota, problems, type Role } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database, Tx } from '@storey/kit/database'
import { randomText, sha256 } from '@storey/kit/secrets'
import * as models from '../realm/models.store.ts'
import * as store from './clients.store.ts'

export interface ServiceAccount {
  id: string
  name: string
  roles: string[]
  clientId: string
}

/** Called in a transaction that adds something to a tenant. Throws if the tenant is being removed. */
export type CheckTenant = (tx: Tx) => Promise<void>

export interface ServiceAccounts {
  /** The secret is returned once: only its hash is stored. */
  create(
    account: { tenantId: string; name: string; roles: readonly Role[] },
    check?: CheckTenant,
  ): Promise<ServiceAccount & { clientSecret: string }>
  list(tenantId: string): Promise<ServiceAccount[]>
  /** False when the tenant has no such service account. */
  remove(tenantId: string, id: string): Promise<boolean>
}

export interface ShellClients {
  /** Registers the client; a repeated call changes nothing. The URL of its shell comes from the settings. */
  register(client: { tenantId: string; clientId: string }): Promise<void>
  remove(tenantId: string): Promise<void>
}

export interface ClientOptions {
  database: Database
  clock: Clock
}

export function createServiceAccounts({ database, clock }: ClientOptions): ServiceAccounts {
  return {
    async create({ tenantId, name, roles }, check) {
      const account = { id: randomUUID(), name, roles: [...new Set(roles)], clientId: `sa-${randomText(BASE62, 20)}` }
      // The secret has 238 random bits and cannot be guessed, so a plain hash is enough.
      const clientSecret = randomText(BASE62, 40)
      const row = { ...account, tenantId, secretHash: sha256(clientSecret) }
      await database.transaction(async (tx) => {
        await check?.(tx)
        checkQuota('serviceAccounts', await store.countServiceAccounts(tx, tenantId))
        await store.insertServiceAccount(tx, row, clock.now())
      })
      return { ...account, clientSecret }
    },
    async list(tenantId) {
      const rows = await store.listServiceAccounts(database, tenantId)
      return rows.map(({ id, name, roles, clientId }) => ({ id, name, roles, clientId }))
    },
    async remove(tenantId, id) {
      return (await store.deleteClients(database, { tenantId, kind: 'service-account', id })).length > 0
    },
  }
}

export function createShellClients({ database, clock }: ClientOptions): ShellClients {
  return {
    async register({ tenantId, clientId }) {
      if (!/^[\w.-]{1,100}$/.test(clientId))
        throw problems.field('clientId', 'clientId must be 1 to 100 letters, digits, dots, dashes or underscores')
      if (!(await store.upsertShell(database, { tenantId, clientId }, clock.now()))) {
        throw problems.conflict('clientId', `${clientId} belongs to another tenant`)
      }
    },
    async remove(tenantId) {
      await database.transaction(async (tx) => {
        await models.deleteOfClients(tx, 'sandboxes', await store.deleteClients(tx, { tenantId, kind: 'shell' }))
      })
    },
  }
}
