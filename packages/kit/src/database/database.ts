import type { PoolReport } from '@storey/contract'
import pg from 'pg'
import { elapsedMs } from '../clock.ts'
import type { Log } from '../log.ts'
import { recordWait } from '../tracing/index.ts'
import { watchReadOnlyConnections } from './read-only-connections.ts'
import { createReplacedCheck, DATABASE_OID } from './replaced-database.ts'
import { watchSilentConnections } from './silent-connections.ts'
import type { Sql } from './sql.ts'
import { nameStatement, setLimits, TIME_LIMITS, type TimeLimits } from './time-limits.ts'
import { traceStatement } from './trace-statement.ts'
import { isOutcomeUnknown, isUnavailable, markOutcomeUnknown, markUnreachable, unavailableCode } from './unavailable.ts'

// bigint columns hold counts and revisions, all far below 2^53, and numeric columns hold measures, so numbers suffice.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)

// Rows written together have equal times, so the last parsed time is cached: this saves 2 ms for a page of 1,000 rows.
const parseTime = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ)
let lastTimeText = ''
let lastTime = 0
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => {
  if (text !== lastTimeText) {
    lastTimeText = text
    lastTime = Number(parseTime(text))
  }
  // `infinity` is returned as a number, because a Date cannot hold it.
  return Number.isFinite(lastTime) ? new Date(lastTime) : lastTime
})

type Row = Record<string, unknown>

const CONNECT_LIMIT_MS = 15_000
const TOO_MANY_CONNECTIONS = '53300'
const READ_ONLY = '25006'
/**
 * Opening a connection takes longer than most statements. So a statement first waits up to this long for an open
 * connection to become free.
 */
const OPEN_AFTER_MS = 10

/** Queries on a pool or inside a transaction. */
export interface Queryable {
  rows<T extends Row>(statement: Sql): Promise<T[]>
  /** The first row, or undefined. */
  row<T extends Row>(statement: Sql): Promise<T | undefined>
  /** Runs a statement and returns the number of affected rows. */
  run(statement: Sql): Promise<number>
}

/** A transaction, or a connection of `session`. A function that gets only a `Tx` cannot query outside of it. */
export interface Tx extends Queryable {
  readonly client: pg.PoolClient
  /** Names something that this transaction changes, for `onCommit`. */
  touch(name: string): void
  /** False when the connection is broken or the database is being closed: a long session must end now. */
  isUsable(): boolean
  /** Whether other work waits for a connection, so a long session should end soon. */
  isWanted(): boolean
  /** Runs `work` with these time limits for its statements. */
  withLimits<T>(limits: TimeLimits, work: () => Promise<T>): Promise<T>
}

export interface Database extends Queryable {
  /** Rejects when the server does not respond. */
  ping(): Promise<void>
  /** Rejects, and stores nothing, if `work` rejects or a statement of `tx` fails, even if `work` ignores its error. */
  transaction<T>(work: (tx: Tx) => Promise<T>, limits?: TimeLimits): Promise<T>
  /** Runs several reads on one consistent snapshot of the data. `work` cannot write. */
  snapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Keeps one connection while `work` runs. Needed for session locks, COPY, and statements that cannot run in a
   * transaction.
   */
  session<T>(work: (session: Tx) => Promise<T>): Promise<T>
  /** The connections at this moment. */
  connections(): PoolReport
  close(): Promise<void>
}

export interface DatabaseOptions {
  url: string
  log: Log
  applicationName: string
  maxConnections?: number
  /** Idle connections that are kept open; 0 when absent. */
  minConnections?: number
  /** How long further idle connections are kept open. */
  idleMs?: number
  /** How long a response may take before the server is asked whether it still works on the statement. */
  silentMs?: number
  /** How long the server may not answer at all before the connections that wait for it are closed. */
  unansweredMs?: number
  /** How long a statement waits for a busy connection before another connection is opened. */
  openAfterMs?: number
  /** The time limits of all statements; `TIME_LIMITS.request` when absent. */
  limits?: TimeLimits
  /**
   * Gets the names that a transaction touched, each once. Not called if it touched none, or failed before its commit.
   * Called if the statement `commit` fails, because the transaction may be committed although the response is lost.
   */
  onCommit?(touched: ReadonlySet<string>): void
  /**
   * Called once when a new connection leads to another database of the same name, for example because the first one
   * was dropped and is being restored. Such connections are not used, so every statement fails. Absent: this is not
   * checked.
   */
  onReplaced?(): void
}

/**
 * Makes each commit durable before it returns, even if the server, the database or the role has `synchronous_commit`
 * off. Other values, such as the stricter ones of an operator with replicas, are kept.
 */
const DURABLE =
  "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'"

const READ = /^\s*select\b/i

/** The statement of a commit, which is traced because it waits for the disk. */
const COMMIT = ['commit']

export function openDatabase(options: DatabaseOptions): Database {
  const limits = options.limits ?? TIME_LIMITS.request
  const maxConnections = options.maxConnections ?? 8
  const refuseReplaced = options.onReplaced && createReplacedCheck(options.onReplaced)
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: maxConnections,
    min: options.minConnections ?? 0,
    idleTimeoutMillis: options.idleMs ?? 30_000,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    onConnect: async (client) => {
      const results = await client.query({
        text: `${setLimits(limits)}; ${DURABLE}; ${DATABASE_OID}`,
        query_timeout: CONNECT_LIMIT_MS,
      } as pg.QueryConfig)
      // The driver returns a list for several statements.
      const { oid } = (results as unknown as pg.QueryResult[]).at(-1)!.rows[0]
      refuseReplaced?.(oid)
    },
  })
  // The pool replaces a connection that breaks while idle; without a listener the error would end the process.
  pool.on('error', (err) => options.log.debug({ err }, 'idle database connection lost'))
  const connections = watchSilentConnections(options)
  pool.on('connect', connections.opened)
  const readOnly = watchReadOnlyConnections()
  pool.on('connect', readOnly.opened)
  let closing: Promise<void> | undefined
  pool.setMaxListeners(0)
  /** How many statements wait for a connection to be released before they open another one. */
  let waitingForRelease = 0

  /**
   * Whether the pool would open a further connection for the next request. False while the pool has no connection,
   * because then a statement cannot wait for a connection to become free.
   */
  const wouldOpen = () => pool.idleCount <= pool.waitingCount && pool.totalCount > 0 && pool.totalCount < maxConnections

  function untilReleased(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      waitingForRelease++
      const end = () => {
        waitingForRelease--
        clearTimeout(timer)
        pool.off('release', end)
        resolve()
      }
      const timer = setTimeout(end, limitMs)
      pool.on('release', end)
    })
  }

  /** Waits until the pool has a connection for one more request, but at most this long. */
  async function untilIdle(limitMs: number): Promise<void> {
    const deadline = elapsedMs() + limitMs
    for (let leftMs = limitMs; leftMs > 0 && pool.idleCount <= pool.waitingCount; leftMs = deadline - elapsedMs()) {
      await untilReleased(leftMs)
    }
  }

  async function takeHealthy(): Promise<pg.PoolClient> {
    for (;;) {
      if (wouldOpen()) {
        const deadline = elapsedMs() + (options.openAfterMs ?? OPEN_AFTER_MS)
        // `pool.connect` is called right after the last check, without an await, so that the result of the check still
        // holds.
        for (let leftMs = deadline - elapsedMs(); leftMs > 0 && wouldOpen(); leftMs = deadline - elapsedMs()) {
          await untilReleased(leftMs)
        }
      }
      const client = await pool.connect()
      if (!connections.mayBeDropped(client) && !readOnly.maybeReadOnly(client)) return client
      client.release(true)
    }
  }

  /** Takes a connection. If the server permits no new connection, waits for one of the pool, and tries again. */
  async function connect(): Promise<pg.PoolClient> {
    const deadline = elapsedMs() + CONNECT_LIMIT_MS
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 1_000)) {
      try {
        return await takeHealthy()
      } catch (err) {
        const isFull = (err as { code?: unknown }).code === TOO_MANY_CONNECTIONS
        if (!(err instanceof pg.DatabaseError)) markUnreachable(err)
        if (!isFull || closing !== undefined || elapsedMs() + pauseMs > deadline) throw err
        await untilIdle(pauseMs)
      }
    }
  }

  async function session<T>(
    work: (session: Tx) => Promise<T>,
    touched = new Set<string>(),
    own?: TimeLimits,
  ): Promise<T> {
    const askedAtMs = performance.now()
    const client = await connect()
    recordWait('wait for database connection', askedAtMs)
    let broken: Error | undefined
    let isReadOnly = false
    // Only the first error is kept, because it has the reason. The end of the connection causes another error.
    const onError = (err: Error) => {
      broken ??= err
    }
    client.on('error', onError)
    let current = own ?? limits
    connections.watch(client, current.statementMs)
    /**
     * Sets other time limits. This fails in a failed transaction and on a broken connection. Neither matters: the
     * rollback restores the limits, and a broken connection is not used again.
     */
    async function change(next: TimeLimits): Promise<void> {
      current = next
      connections.watch(client, next.statementMs)
      await client.query(setLimits(next, own ? 'set local' : 'set'))
    }
    async function withLimits<R>(own: TimeLimits, limited: () => Promise<R>): Promise<R> {
      const before = current
      await change(own)
      try {
        return await limited()
      } finally {
        await change(before).catch(() => undefined)
      }
    }
    try {
      return await work({
        ...{ client, ...queryable(client), touch: (name) => void touched.add(name), withLimits },
        isUsable: () => broken === undefined && closing === undefined,
        isWanted: () => pool.waitingCount + waitingForRelease > 0,
      })
    } catch (err) {
      isReadOnly = unavailableCode(err) === READ_ONLY
      if (isReadOnly) readOnly.refused()
      // PostgreSQL sends the reason when it closes a connection, but the next statement fails with an error without the
      // reason. So the error with the reason is thrown instead.
      if (!(broken instanceof pg.DatabaseError) || !isUnavailable(err)) throw err
      if (isOutcomeUnknown(err)) markOutcomeUnknown(broken)
      throw broken
    } finally {
      connections.release(client)
      client.off('error', onError)
      client.release(broken ?? isReadOnly)
      if (touched.size > 0) options.onCommit?.(touched)
    }
  }

  function transaction<T>(begin: string, work: (tx: Tx) => Promise<T>, own?: TimeLimits): Promise<T> {
    const touched = new Set<string>()
    let isCommitting = false
    return session(
      async (tx) => {
        await tx.client.query(own ? `${begin}; ${setLimits(own, 'set local')}` : begin)
        try {
          const result = await work(tx)
          isCommitting = true
          await traceStatement(tx.client, COMMIT, () => commit(tx.client))
          return result
        } catch (err) {
          // A commit whose response was lost may have succeeded, so the touched names are still reported.
          if (isCommitting && !(err instanceof RolledBack)) markOutcomeUnknown(err)
          else touched.clear()
          await tx.client.query('rollback').catch(() => undefined)
          throw err
        }
      },
      touched,
      own,
    )
  }

  /** Runs a statement without a transaction. */
  const single = <T>(statement: Sql, run: (one: Tx) => Promise<T>): Promise<T> =>
    session(async (one) => {
      try {
        return await run(one)
      } catch (err) {
        if (!READ.test(statement.parts[0] ?? '')) markOutcomeUnknown(err)
        throw err
      }
    })

  return {
    rows: (statement) => single(statement, (one) => one.rows(statement)),
    row: (statement) => single(statement, (one) => one.row(statement)),
    run: (statement) => single(statement, (one) => one.run(statement)),
    ping: () => session(async ({ client }) => void (await client.query('select 1'))),
    session: (work) => session(work),
    transaction: (work, own) => transaction('begin', work, own),
    snapshot: (work) => transaction('begin isolation level repeatable read, read only', work),
    connections: () => ({
      inUse: pool.totalCount - pool.idleCount,
      waiting: pool.waitingCount,
      limit: maxConnections,
    }),
    close: () => {
      closing ??= pool.end().finally(connections.close)
      return closing
    },
  }
}

class RolledBack extends Error {
  override name = 'RolledBack'
  constructor() {
    super(
      'The transaction was rolled back instead of committed: one of its statements failed, and the error was ignored',
    )
  }
}

/** PostgreSQL answers the commit of a failed transaction with a rollback, and not with an error. */
async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('commit')
  if (command === 'ROLLBACK') throw new RolledBack()
}

/**
 * Sends a statement with a callback. With the driver's own promises, each statement outlives all collections of the
 * young generation, and is freed only when the whole heap is collected.
 */
function send(client: pg.PoolClient, config: pg.QueryConfig): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    client.query(config, (err, result) => (err ? reject(err) : resolve(result)))
  })
}

function queryable(client: pg.PoolClient): Queryable {
  async function query(statement: Sql): Promise<pg.QueryResult> {
    const config = statement.toQuery()
    try {
      return await traceStatement(client, statement.parts, () => send(client, config))
    } catch (err) {
      // The driver's stack trace leads to the code that read the response. The new one leads to the caller.
      if (err instanceof Error) Error.captureStackTrace(err)
      throw nameStatement(err, config.text)
    }
  }
  return {
    async rows<T extends Row>(statement: Sql) {
      return (await query(statement)).rows as T[]
    },
    async row<T extends Row>(statement: Sql) {
      return (await query(statement)).rows[0] as T | undefined
    },
    async run(statement) {
      return (await query(statement)).rowCount ?? 0
    },
  }
}

/** True for PostgreSQL's unique violation. */
export function isUniqueViolation(err: unknown, constraint?: string): boolean {
  if (!(err instanceof pg.DatabaseError) || err.code !== '23505') return false
  return constraint === undefined || err.constraint === constraint
}

export function withDatabaseName(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}
