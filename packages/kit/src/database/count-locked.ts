import type { Tx } from './database.ts'
import { type Sql, sql } from './sql.ts'

const LOCK_SPACE = 7_305_022

/**
 * Counts rows under a lock. Other transactions that call this with the same name wait until this transaction ends. So
 * the count stays valid until then, if every transaction calls this before it adds a row. `rows` is the SQL after
 * `from`. Counting stops at `max`. Names that differ only in upper and lower case are the same, because a name can
 * contain an id as a client wrote it.
 */
export async function countLocked(tx: Tx, name: string, rows: Sql, max: number): Promise<number> {
  await tx.run(sql`select pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(lower(${name})))`)
  const row = await tx.row<{ count: number }>(
    sql`select count(*) as count from (select from ${rows} limit ${max}) as counted`,
  )
  return row!.count
}
