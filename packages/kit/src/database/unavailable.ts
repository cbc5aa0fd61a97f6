import pg from 'pg'

/**
 * SQLSTATE classes about the statement or its values: the same statement would fail again. All others (disk full, out
 * of memory, no connection, read-only, shutting down, cancelled, I/O error, unknown codes) are about the server and
 * temporary.
 */
const STATEMENT_ERRORS = new Set(
  '00 01 02 03 07 09 0A 0B 0F 0L 0P 10 20 21 22 23 24 26 27 2B 2F 34 38 39 3B 42 44 54 P0'.split(' '),
)

/** Classes that contain both kinds of errors, with a pattern for the temporary ones. */
const TEMPORARY: Record<string, RegExp> = {
  // The transaction is read-only, or a timeout ended it. The other errors of this class are mistakes in the code of the
  // service.
  25: /^25(006|P0[345])$/,
  // The role lacks a right that the operator can grant. The other errors of this class are mistakes in a statement.
  42: /^42501$/,
}

/**
 * PostgreSQL has one SQLSTATE for two errors: the role lacks a right, or the server may not open or write a file, for
 * example because the file system became read-only. An error about a file comes from one of these source files of
 * PostgreSQL, or ends with one of these texts of the operating system.
 */
const INSUFFICIENT_PRIVILEGE = '42501'
const FILE_SOURCES =
  /^(fd|md|smgr|bulk_write|copydir|reinit|storage|slru|xlog\w*|relmapper|buffile|file_utils|dsm_impl)\.c$/
const FILE_TEXTS = /: (Read-only file system|Permission denied|Operation not permitted)$/

/** System codes of an unreachable server, a disk that cannot be written, or exhausted resources of this machine. */
const SYSTEM_CODES = new Set(
  (
    'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH EHOSTDOWN ENETUNREACH ' +
    'ENETDOWN ENETRESET EADDRNOTAVAIL ENOTCONN ENOSPC EDQUOT EROFS EIO EMFILE ENFILE ENOMEM ENOBUFS EAGAIN'
  ).split(' '),
)

/** Messages of driver errors that have no code. */
const PHRASES =
  /^(Connection terminated|Connection ended|timeout e(xceeded|xpired)|Query read timeout|Client (has encountered a connection error|was closed)|Cannot use a pool after calling end|The server does not support SSL|There was an error establishing an SSL|Timeout while acquiring)/

/** How many errors of a chain of causes are checked, the first included. */
const MAX_CAUSES = 5

/**
 * True when something failed because the database or the disk is temporarily unavailable: the work is retried, or the
 * caller is asked to retry.
 */
export function isUnavailable(error: unknown): boolean {
  return unavailableCode(error) !== undefined
}

/** The code of the error (such as an SQLSTATE) or `connection lost`; undefined if `isUnavailable` is false. */
export function unavailableCode(error: unknown): string | undefined {
  for (const err of causesOf(error)) {
    const { code } = err as { code?: unknown }
    if (typeof code === 'string' && (isTemporary(code) || unreachable.has(err))) return code
    if (PHRASES.test(err.message) || unreachable.has(err)) return 'connection lost'
  }
  return undefined
}

/** The error and its causes. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let err = error; err instanceof Error && causes.length < MAX_CAUSES; err = err.cause) causes.push(err)
  return causes
}

/** Errors of opening a connection that do not come from PostgreSQL, such as an expired certificate. */
const unreachable = new WeakSet<Error>()

export function markUnreachable(error: unknown): void {
  if (error instanceof Error) unreachable.add(error)
}

/** Errors after which a statement or a transaction may have had its effect although its response was lost. */
const uncertain = new WeakSet<Error>()

/** Marks the error of a commit, or of a statement without a transaction, unless PostgreSQL itself refused it. */
export function markOutcomeUnknown(error: unknown): void {
  // After an error of the severity ERROR, PostgreSQL has rolled back. With FATAL and PANIC the connection ends, perhaps
  // after the commit.
  const isRolledBack = error instanceof pg.DatabaseError && error.severity === 'ERROR'
  if (error instanceof Error && !isRolledBack) uncertain.add(error)
}

export function isOutcomeUnknown(error: unknown): boolean {
  return causesOf(error).some((err) => uncertain.has(err))
}

/** True when the role of the connection lacks a right. The statement succeeds once the operator has granted it. */
export function isDenied(error: unknown): boolean {
  for (const err of causesOf(error)) {
    const { code, file, message } = err as Error & { code?: unknown; file?: unknown }
    if (code === INSUFFICIENT_PRIVILEGE) return !FILE_SOURCES.test(String(file)) && !FILE_TEXTS.test(message)
  }
  return false
}

function isTemporary(code: string): boolean {
  if (SYSTEM_CODES.has(code)) return true
  // No SQLSTATE begins with E, but system codes such as EPERM and E2BIG do.
  if (!/^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code)) return false
  const group = code.slice(0, 2)
  return TEMPORARY[group]?.test(code) ?? !STATEMENT_ERRORS.has(group)
}
