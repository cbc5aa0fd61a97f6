import {
  type Database,
  identifier,
  prepared,
  type Queryable,
  type Sql,
  sql,
  TIME_LIMITS,
  type TimeLimits,
} from '@storey/kit/database'

/** The size of the database on disk, including indexes and free space. Takes a few milliseconds. */
export async function databaseBytes(db: Queryable): Promise<number> {
  return (await db.row<{ bytes: number }>(sql`select pg_database_size(current_database()) as bytes`))!.bytes
}

/**
 * Rows that were deleted or replaced since the statistics began. If the number changes, there may be space to reclaim.
 * The number does not include rows of the system catalogs: all databases of the server share some of the catalogs, and
 * reclaiming space itself changes rows in others.
 */
export async function countDeadRows(db: Queryable): Promise<number> {
  const row = await db.row<{ count: number | null }>(
    sql`select sum(n_tup_del + n_tup_upd) as count from pg_stat_user_tables`,
  )
  return row!.count ?? 0
}

/** Rows written since the statistics began: if the number does not change, neither does the size. */
export async function countWrittenRows(db: Queryable): Promise<number> {
  const written = sql`select tup_inserted + tup_updated + tup_deleted as count
    from pg_stat_database where datname = current_database()`
  const row = await db.row<{ count: number }>(prepared(written))
  return row?.count ?? 0
}

/** Frees space within the table and updates its statistics. Reads and writes of the table continue meanwhile. */
export async function vacuum(db: Database, table: string): Promise<void> {
  await runWithin(TIME_LIMITS.long, db, sql`vacuum (analyze) ${identifier(table)}`)
}

/** The size of a TOAST chunk: four of them fill a page. */
const TOAST_CHUNK_BYTES = 2_048
const ROW_HEAD_BYTES = 32
/** A factor for the overhead of rows: alignment, and space at the end of pages. */
const SLACK = 1.1
/** The share of rows that may have changed since the last analyze. A table with more changes is assumed to be full. */
const STALE_SHARE = 0.2

export type TableBytes = {
  name: string
  bytes: number
  /** An estimate of the free space for later rows. */
  free: number
}

/**
 * The size of tables and an estimate of their free space. Free space is the size at the last vacuum or analyze minus
 * the estimated size of the rows (their number times their average width, at the fill factor of the table) and of the
 * TOAST chunks of large values. Pages added since then count as full. Of the number of rows at that time and the
 * current number, the larger is used, because counters lag by some seconds. The query reads only catalogs and counters,
 * so it takes a few milliseconds.
 */
export async function tablesBytes(db: Queryable, minBytes: number): Promise<TableBytes[]> {
  return await db.rows<TableBytes>(sql`
    select name, bytes, case when sampled is null or width is null or changed > ${STALE_SHARE}::float8 * rows then 0
      else greatest(0, least(bytes, pages * current_setting('block_size')::float8)
        - rows * (${ROW_HEAD_BYTES}::float8 + width) * ${SLACK}::float8 / fill - chunks * ${TOAST_CHUNK_BYTES}::float8) end as free
    from (
      select c.relname as name, pg_table_size(c.oid)::float8 as bytes,
        c.relpages::float8 + coalesce(t.relpages, 0) as pages,
        greatest(c.reltuples, s.n_live_tup, 0)::float8 as rows, s.n_mod_since_analyze::float8 as changed,
        coalesce(s.last_analyze, s.last_autoanalyze) as sampled,
        greatest(t.reltuples, ts.n_live_tup, 0)::float8 as chunks,
        coalesce((select option_value::float8 / 100 from pg_options_to_table(c.reloptions)
          where option_name = 'fillfactor'), 1) as fill,
        (select sum(w.avg_width * (1 - w.null_frac))::float8 from pg_stats w
         where w.schemaname = 'public' and w.tablename = c.relname) as width
      from pg_class c
      join pg_stat_user_tables s on s.relid = c.oid
      left join pg_class t on t.oid = c.reltoastrelid
      left join pg_stat_all_tables ts on ts.relid = c.reltoastrelid
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and pg_table_size(c.oid) >= ${minBytes}
    ) as tables
    order by bytes`)
}

/** Rewrites the table without the space of deleted rows. Reads and writes of the table wait meanwhile. */
export async function rewrite(db: Database, table: string): Promise<void> {
  // A rewrite that waits for a long query blocks all later queries, so it gives up soon and is retried later.
  const limits = { ...TIME_LIMITS.long, lockMs: 5_000 }
  await runWithin(limits, db, sql`vacuum (full, analyze) ${identifier(table)}`)
}

async function runWithin(limits: TimeLimits, db: Database, statement: Sql): Promise<void> {
  await db.session((session) => session.withLimits(limits, () => session.run(statement)))
}
