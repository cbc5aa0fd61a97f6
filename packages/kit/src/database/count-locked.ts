import type { Tx } from './database.ts'
import { type Sql, sql } from './sql.ts'

const LOCK_SPACE = 7_305_022

/**
 * How many rows there are, counted so that the figure stays true until the transaction ends: whoever counts under the
 * same name waits. `rows` is what follows `from`. What is above `most` is not counted.
 */
export async function countLocked(tx: Tx, name: string, rows: Sql, most: number): Promise<number> {
  await tx.run(sql`select pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(${name}))`)
  const row = await tx.row<{ count: number }>(
    sql`select count(*) as count from (select from ${rows} limit ${most}) as counted`,
  )
  return row!.count
}
