import { type Database, identifier, type Queryable, sql } from '@storey/kit/database'

/** Of everything in the database on disk, indexes and what is not reclaimed included. A few milliseconds. */
export async function databaseBytes(db: Queryable): Promise<number> {
  return (await db.row<{ bytes: number }>(sql`select pg_database_size(current_database()) as bytes`))!.bytes
}

/**
 * Rows that were deleted or replaced since the statistics began: when it moves, there may be something to reclaim. Those of
 * the catalogs do not count: some of them are the server's, others change by the reclaiming itself.
 */
export async function countLeavings(db: Queryable): Promise<number> {
  const row = await db.row<{ count: number | null }>(
    sql`select sum(n_tup_del + n_tup_upd) as count from pg_stat_user_tables`,
  )
  return row!.count ?? 0
}

export async function listLargeTables(db: Queryable, leastBytes: number): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(sql`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_total_relation_size(oid) >= ${leastBytes}
    order by pg_total_relation_size(oid)`)
  return rows.map(({ name }) => name)
}

/** Lets space within the table be used again, and brings its statistics up to date. It stops nobody. */
export async function vacuum(db: Database, table: string): Promise<void> {
  await db.run(sql`vacuum (analyze) ${identifier(table)}`)
}

/** A piece of a value that is stored out of line takes about this much. */
const TOAST_PIECE_BYTES = 2_100
const ROW_HEAD_BYTES = 32

/**
 * How large a table is, and about how much of it its rows need: rows by their average width, large values by the number
 * of their pieces. To be asked after a vacuum, which counts both.
 */
export async function tableBytes(db: Queryable, table: string): Promise<{ bytes: number; needed: number }> {
  const row = await db.row<{ bytes: number; needed: number }>(sql`
    select pg_table_size(c.oid) as bytes,
      greatest(c.reltuples, 0)::float8 * (${ROW_HEAD_BYTES} + coalesce((
        select sum(s.avg_width * (1 - s.null_frac)) from pg_stats s
        where s.schemaname = 'public' and s.tablename = c.relname), 64))
      + coalesce(greatest(t.reltuples, 0)::float8 * ${TOAST_PIECE_BYTES}, 0) as needed
    from pg_class c left join pg_class t on t.oid = c.reltoastrelid
    where c.relname = ${table} and c.relnamespace = 'public'::regnamespace`)
  return row ?? { bytes: 0, needed: 0 }
}

/** Writes the table anew, as small as it can be. Everyone who needs the table waits meanwhile. */
export async function rewrite(db: Database, table: string): Promise<void> {
  await db.session(async (session) => {
    // Behind somebody who reads for long, all others would wait in line: it is tried again later.
    await session.run(sql`set lock_timeout = '5s'`)
    try {
      await session.run(sql`vacuum (full, analyze) ${identifier(table)}`)
    } finally {
      await session.run(sql`reset lock_timeout`).catch(() => undefined)
    }
  })
}
