import type { Tx } from './database.ts'
import { type Sql, sql } from './sql.ts'

const LOCK_SPACE = 7_305_022

/**
 * Counts rows under a lock, so that the count stays valid until the transaction ends: others that count under the same
 * name wait. `rows` is what follows `from`. Counting stops at `max`.
 */
export async function countLocked(tx: Tx, name: string, rows: Sql, max: number): Promise<number> {
  await tx.run(sql`select pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(${name}))`)
  const row = await tx.row<{ count: number }>(
    sql`select count(*) as count from (select from ${rows} limit ${max}) as counted`,
  )
  return row!.count
}
