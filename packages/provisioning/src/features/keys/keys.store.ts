import type { KeyScope } from '@storey/contract'
import { type Queryable, sql } from '@storey/kit/database'

export interface KeyRow {
  id: string
  organizationId: string
  developerId: string
  label: string
  scope: KeyScope | null
  operatorMinted: boolean
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
}

const columns = sql`id, organization_id as "organizationId", developer_id as "developerId", label, scope,
  operator_minted as "operatorMinted", created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt"`

export async function insertKey(db: Queryable, key: KeyRow, hash: Buffer): Promise<void> {
  await db.run(sql`insert into api_keys
    (id, organization_id, developer_id, label, scope, hash, operator_minted, created_at, expires_at)
    values (${key.id}, ${key.organizationId}, ${key.developerId}, ${key.label}, ${key.scope}, ${hash},
      ${key.operatorMinted}, ${key.createdAt}, ${key.expiresAt})`)
}

/** Asked on every request, without a cache: a revoked key ends with the next one. The hash is a unique index. */
export async function findKeyByHash(db: Queryable, hash: Buffer): Promise<KeyRow | undefined> {
  return await db.row<KeyRow & Record<string, unknown>>(sql`select ${columns} from api_keys where hash = ${hash}`)
}
