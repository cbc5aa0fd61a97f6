import { QUOTAS } from '@storey/contract'
import { countLocked, type Queryable, sql, type Tx } from '@storey/kit/database'

export interface ServiceAccountRow {
  id: string
  clientId: string
  tenantId: string
  name: string
  roles: string[]
  secretHash: Buffer
}

export interface ClientRow {
  id: string
  kind: 'shell' | 'service-account'
  clientId: string
  tenantId: string
  name: string
  roles: string[]
  secretHash: Buffer | null
}

const columns = sql`id, kind, client_id as "clientId", tenant_id as "tenantId", name, roles,
  secret_hash as "secretHash"`

type Found = ClientRow & Record<string, unknown>

export async function insertServiceAccount(db: Queryable, row: ServiceAccountRow, at: Date): Promise<void> {
  await db.run(sql`insert into identity_clients (id, kind, client_id, tenant_id, name, roles, secret_hash, created_at)
    values (${row.id}, 'service-account', ${row.clientId}, ${row.tenantId}, ${row.name}, ${row.roles},
      ${row.secretHash}, ${at})`)
}

/** Counts the service accounts of a tenant under a lock, so that concurrent inserts cannot exceed the quota. */
export async function countServiceAccounts(tx: Tx, tenantId: string): Promise<number> {
  const rows = sql`identity_clients where tenant_id = ${tenantId} and kind = 'service-account'`
  return await countLocked(tx, `service accounts ${tenantId}`, rows, QUOTAS.serviceAccounts.limit)
}

/** False when the client id belongs to another tenant or kind. */
export async function upsertShell(
  db: Queryable,
  row: { clientId: string; tenantId: string },
  at: Date,
): Promise<boolean> {
  const written = await db.run(sql`insert into identity_clients (id, kind, client_id, tenant_id, name, created_at)
    values (${row.clientId}, 'shell', ${row.clientId}, ${row.tenantId}, '', ${at})
    on conflict (client_id) do update set name = excluded.name
      where identity_clients.kind = 'shell' and identity_clients.tenant_id = excluded.tenant_id`)
  return written === 1
}

export async function findClient(db: Queryable, clientId: string): Promise<ClientRow | undefined> {
  return await db.row<Found>(sql`select ${columns} from identity_clients where client_id = ${clientId}`)
}

export async function listServiceAccounts(db: Queryable, tenantId: string): Promise<ClientRow[]> {
  return await db.rows<Found>(sql`select ${columns} from identity_clients
    where tenant_id = ${tenantId} and kind = 'service-account' order by created_at, id`)
}

/** Returns the `client_id` of each deleted client. */
export async function deleteClients(
  db: Queryable,
  which: { tenantId: string; kind?: ClientRow['kind']; id?: string },
): Promise<string[]> {
  const { tenantId, kind = null, id = null } = which
  const deleted = await db.rows<{ clientId: string }>(sql`delete from identity_clients
    where tenant_id = ${tenantId} and kind = coalesce(${kind}, kind) and id = coalesce(${id}, id)
    returning client_id as "clientId"`)
  return deleted.map((row) => row.clientId)
}
