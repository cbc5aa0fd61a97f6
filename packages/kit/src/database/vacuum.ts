import { createLoop } from '../background/index.ts'
import type { Log } from '../log.ts'
import type { Database, Queryable } from './database.ts'
import { identifier, prepared, sql } from './sql.ts'
import { TIME_LIMITS } from './time-limits.ts'

export interface VacuumOptions {
  db: Database
  log: Log
  /** False while another process vacuums this database. */
  mayRun?(): boolean
}

export interface Vacuum {
  start(): void
  /** Vacuums and analyzes the tables that are due now. */
  run(): Promise<void>
  close(): Promise<void>
}

const EVERY_MS = 60_000

/**
 * Vacuums the same tables as autovacuum would, every minute while the database is in use. Autovacuum starts a new
 * process for each database of the server, although nothing has changed in most of them. So the embedded server runs
 * autovacuum rarely, and this code replaces it.
 */
export function createVacuum({ db, log, mayRun = () => true }: VacuumOptions): Vacuum {
  const loop = createLoop({ name: 'vacuum', log, run, everyMs: EVERY_MS })

  async function run(signal: AbortSignal): Promise<void> {
    if (!mayRun()) return
    for (const { name, needsVacuum } of await tablesToVacuum(db)) {
      if (signal.aborted) return
      // A table that another process vacuums is skipped.
      const how = needsVacuum ? sql`vacuum (analyze, skip_locked)` : sql`analyze (skip_locked)`
      const clean = sql`${how} ${identifier(name)}`
      await db.session((session) => session.withLimits(TIME_LIMITS.long, () => session.run(clean)))
    }
  }

  return { start: () => loop.start(EVERY_MS), run: loop.runNow, close: loop.stop }
}

type TableToVacuum = {
  name: string
  /** False if only the statistics of the table are out of date. */
  needsVacuum: boolean
}

/**
 * The tables with so many changes that autovacuum would process them. With an insert threshold of -1, autovacuum
 * ignores inserted rows. Reads only counters, which takes a millisecond.
 */
async function tablesToVacuum(db: Queryable): Promise<TableToVacuum[]> {
  return await db.rows<TableToVacuum>(
    prepared(sql`
    with tables as (
      select s.relname as name, greatest(c.reltuples, 0) as rows, s.n_dead_tup as dead,
        s.n_ins_since_vacuum as inserted, s.n_mod_since_analyze as changed
      from pg_stat_user_tables s join pg_class c on c.oid = s.relid where s.schemaname = 'public'
    ), due as (
      select name, dead > current_setting('autovacuum_vacuum_threshold')::float8
            + current_setting('autovacuum_vacuum_scale_factor')::float8 * rows
          or current_setting('autovacuum_vacuum_insert_threshold')::float8 >= 0
            and inserted > current_setting('autovacuum_vacuum_insert_threshold')::float8
            + current_setting('autovacuum_vacuum_insert_scale_factor')::float8 * rows as "needsVacuum",
        changed > current_setting('autovacuum_analyze_threshold')::float8
          + current_setting('autovacuum_analyze_scale_factor')::float8 * rows as "needsAnalyze"
      from tables
    )
    select name, "needsVacuum" from due where "needsVacuum" or "needsAnalyze" order by name`),
  )
}
