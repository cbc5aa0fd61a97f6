import { type Queryable, sql, type Tx } from '@storey/kit/database'
import type { RealmName } from '../realm/names.ts'

export interface KeyRow {
  kid: string
  sealed: Buffer
  signsFrom: Date
}

/** Lets only one transaction at a time change the keys of a realm. The lock ends with the transaction. */
export async function lockKeys(tx: Tx, realm: RealmName): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtext('identity_keys'), hashtext(${realm}))`)
}

/** Whether the table of keys exists. It does not exist before the first start. */
export async function hasKeys(db: Queryable): Promise<boolean> {
  const row = await db.row<{ exists: boolean }>(sql`select to_regclass('identity_keys') is not null as exists`)
  return row!.exists
}

export async function listKeys(db: Queryable, realm: RealmName): Promise<KeyRow[]> {
  return await db.rows<KeyRow & Record<string, unknown>>(
    sql`select kid, sealed, signs_from as "signsFrom" from identity_keys where realm = ${realm} order by signs_from desc, kid`,
  )
}

export async function insertKey(db: Queryable, realm: RealmName, key: KeyRow, at: Date): Promise<void> {
  await db.run(sql`insert into identity_keys (realm, kid, sealed, signs_from, created_at)
    values (${realm}, ${key.kid}, ${key.sealed}, ${key.signsFrom}, ${at})`)
}

export async function deleteKeys(db: Queryable, realm: RealmName, kids: readonly string[]): Promise<void> {
  await db.run(sql`delete from identity_keys where realm = ${realm} and kid = any(${kids})`)
}
