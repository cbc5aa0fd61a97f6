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

/** Lets space within the table be used again, and brings its statistics up to date. It stops nobody. */
export async function vacuum(db: Database, table: string): Promise<void> {
  await db.run(sql`vacuum (analyze) ${identifier(table)}`)
}

/** A piece of a value that is stored out of line: four of them fill a page. */
const TOAST_PIECE_BYTES = 2_048
const ROW_HEAD_BYTES = 32
/** Of rows: alignment, and pages that no further row fits into. */
const SLACK = 1.1
/** Of the rows, that may have changed since their widths were sampled: what is known of less is taken to be full. */
const STALE_SHARE = 0.2

export type TableBytes = {
  name: string
  bytes: number
  /** About how much of it later rows can take. */
  free: number
}

/**
 * How large tables are, and about how much of them is free: of the pages that the last vacuum found, those that the rows
 * do not need, by their number and average width, and large values by the number of their pieces. What has grown since
 * counts whole, and of the rows counted then and now the greater number: counters lag by some seconds. Takes some
 * milliseconds, since nothing but catalogs and counters is read.
 */
export async function tablesBytes(db: Queryable, leastBytes: number): Promise<TableBytes[]> {
  return await db.rows<TableBytes>(sql`
    select name, bytes, case when sampled is null or width is null or changed > ${STALE_SHARE}::float8 * rows then 0
      else greatest(0, least(bytes, pages * current_setting('block_size')::float8)
        - rows * (${ROW_HEAD_BYTES}::float8 + width) * ${SLACK}::float8 - pieces * ${TOAST_PIECE_BYTES}::float8) end as free
    from (
      select c.relname as name, pg_table_size(c.oid)::float8 as bytes,
        c.relpages::float8 + coalesce(t.relpages, 0) as pages,
        greatest(c.reltuples, s.n_live_tup, 0)::float8 as rows, s.n_mod_since_analyze::float8 as changed,
        coalesce(s.last_analyze, s.last_autoanalyze) as sampled,
        greatest(t.reltuples, ts.n_live_tup, 0)::float8 as pieces,
        (select sum(w.avg_width * (1 - w.null_frac))::float8 from pg_stats w
         where w.schemaname = 'public' and w.tablename = c.relname) as width
      from pg_class c
      join pg_stat_user_tables s on s.relid = c.oid
      left join pg_class t on t.oid = c.reltoastrelid
      left join pg_stat_all_tables ts on ts.relid = c.reltoastrelid
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and pg_table_size(c.oid) >= ${leastBytes}
    ) as tables
    order by bytes`)
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
