import type { KeyScope, Page } from '@storey/contract'
import { type Queryable, sql, type Tx } from '@storey/kit/database'

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
  lastUsedAt: Date | null
}

export interface FoundKey extends KeyRow {
  /** When the account of the key's developer was disabled; null: it is enabled. */
  ownerDisabledAt: Date | null
}

type Row = KeyRow & Record<string, unknown>

const columns = sql`id, organization_id as "organizationId", developer_id as "developerId", label, scope,
  operator_minted as "operatorMinted", created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
  last_used_at as "lastUsedAt"`

export async function insertKey(tx: Tx, key: KeyRow, hash: Buffer): Promise<void> {
  await tx.run(sql`insert into api_keys
    (id, organization_id, developer_id, label, scope, hash, operator_minted, created_at, expires_at)
    values (${key.id}, ${key.organizationId}, ${key.developerId}, ${key.label}, ${key.scope}, ${hash},
      ${key.operatorMinted}, ${key.createdAt}, ${key.expiresAt})`)
}

/**
 * Runs on every request, without a cache, so that a revocation takes effect immediately. The hash has a unique index.
 */
export async function findKeyByHash(db: Queryable, hash: Buffer): Promise<FoundKey | undefined> {
  return await db.row<FoundKey & Row>(sql`select ${columns},
      (select disabled_at from developers where developers.id = developer_id) as "ownerDisabledAt"
    from api_keys where hash = ${hash}`)
}

/** Serializes the creation of keys in an organization. */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<void> {
  await tx.run(sql`select 1 from organizations where id = ${organizationId} for no key update`)
}

/** Counts the keys that are active (`statusOf` in `key-status.ts`) and that the operator did not create. */
export async function countActiveKeys(tx: Tx, organizationId: string, now: Date): Promise<number> {
  const row = await tx.row<{ count: number }>(sql`select count(*) as count from api_keys
    where organization_id = ${organizationId} and not operator_minted and revoked_at is null
      and (expires_at is null or expires_at > ${now})`)
  return row!.count
}

/** Counts the keys that were created after `since` and not by the operator, including revoked ones. */
export async function countMintedSince(tx: Tx, organizationId: string, since: Date): Promise<number> {
  const row = await tx.row<{ count: number }>(sql`select count(*) as count from api_keys
    where organization_id = ${organizationId} and not operator_minted and created_at > ${since}`)
  return row!.count
}

export async function listKeys(
  db: Queryable,
  organizationId: string,
  page: Page,
): Promise<{ rows: KeyRow[]; total: number }> {
  const rows = await db.rows<Row>(sql`select ${columns} from api_keys where organization_id = ${organizationId}
    order by created_at desc, id limit ${page.limit} offset ${page.offset}`)
  const count = await db.row<{ count: number }>(
    sql`select count(*) as count from api_keys where organization_id = ${organizationId}`,
  )
  return { rows, total: count!.count }
}

/** Locks a key of this organization. Returns undefined if the organization has no key with this id. */
export async function lockKey(tx: Tx, id: string, organizationId: string): Promise<KeyRow | undefined> {
  return await tx.row<Row>(sql`select ${columns} from api_keys
    where id = ${id} and organization_id = ${organizationId} for no key update`)
}

/** Locks the keys, of any organization, whose key id starts with this text; at most two. */
export async function lockKeysByPrefix(tx: Tx, prefix: string): Promise<KeyRow[]> {
  return await tx.rows<Row>(sql`select ${columns} from api_keys where starts_with(id, ${prefix})
    order by id limit 2 for no key update`)
}

export async function lockKeyByHash(tx: Tx, hash: Buffer): Promise<KeyRow | undefined> {
  return await tx.row<Row>(sql`select ${columns} from api_keys where hash = ${hash} for no key update`)
}

export async function setRevoked(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.run(sql`update api_keys set revoked_at = ${now} where id = ${id}`)
}

/** `last_used_at` has no index, so PostgreSQL usually changes no index in this statement (a HOT update). */
export async function markKeysUsed(tx: Tx, uses: ReadonlyMap<string, Date>): Promise<void> {
  await tx.run(sql`update api_keys set last_used_at = greatest(last_used_at, use.at)
    from unnest(${[...uses.keys()]}::text[], ${[...uses.values()]}::timestamptz[]) as use(id, at)
    where api_keys.id = use.id`)
}
