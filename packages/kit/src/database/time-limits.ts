import pg from 'pg'

/** How long PostgreSQL works or waits before it gives up. */
export interface TimeLimits {
  /** A statement that runs longer is cancelled (SQLSTATE 57014). */
  statementMs: number
  /** A statement that waits longer for a lock is cancelled (55P03). */
  lockMs: number
  /** A connection whose transaction is idle for longer is closed (25P03), which releases its locks. */
  idleInTransactionMs: number
}

const MINUTE_MS = 60_000

export const TIME_LIMITS = {
  /** For all statements without limits of their own. Shorter than the minute after which a request gets 503. */
  request: { statementMs: 45_000, lockMs: 15_000, idleInTransactionMs: MINUTE_MS },
  /**
   * Work in the background that may take minutes: seeding, IFC imports, folding, vacuum, creating and dropping
   * databases.
   */
  long: { statementMs: 30 * MINUTE_MS, lockMs: MINUTE_MS, idleInTransactionMs: 10 * MINUTE_MS },
  /**
   * A statement of a migration, or the copy of a table in a move, may take hours. It waits only briefly for a lock,
   * because requests wait behind it.
   */
  migration: { statementMs: 12 * 60 * MINUTE_MS, lockMs: 5_000, idleInTransactionMs: 10 * MINUTE_MS },
  /** Connections outside of the pools, which hold locks, listen, or ask the server about other connections. */
  dedicated: { statementMs: 4_000, lockMs: 4_000, idleInTransactionMs: MINUTE_MS },
} as const satisfies Record<string, TimeLimits>

/**
 * Returns the statements that set the limits. The settings are not part of the connection request, because a pooler
 * would refuse them there.
 */
export function setLimits(
  { statementMs, lockMs, idleInTransactionMs }: TimeLimits,
  set: 'set' | 'set local' = 'set',
): string {
  return `${set} statement_timeout = ${statementMs}; ${set} lock_timeout = ${lockMs}; ${set} idle_in_transaction_session_timeout = ${idleInTransactionMs}`
}

export type ExceededLimit = 'statement' | 'lock' | 'idle transaction'

const CODES: Record<string, ExceededLimit> = { '57014': 'statement', '55P03': 'lock', '25P03': 'idle transaction' }

/** Which limit a statement or connection exceeded, from PostgreSQL's error code; undefined for other errors. */
export function exceededLimit(sqlstate: string | undefined): ExceededLimit | undefined {
  return sqlstate === undefined ? undefined : CODES[sqlstate]
}

const MAX_STATEMENT_LENGTH = 200

/** If a statement exceeded a limit, adds the text of the statement, without its values, to the error, for the log. */
export function nameStatement(err: unknown, text: string): unknown {
  if (err instanceof pg.DatabaseError && exceededLimit(err.code) !== undefined) {
    Object.assign(err, { statement: text.replace(/\s+/g, ' ').trim().slice(0, MAX_STATEMENT_LENGTH) })
  }
  return err
}
