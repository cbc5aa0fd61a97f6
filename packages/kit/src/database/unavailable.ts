/**
 * SQLSTATE classes that are about the statement or its values: the same statement fails again tomorrow. Whatever is not
 * among them (no room, no memory, no connection, read-only, shutting down, cancelled, I/O error, a code nobody knows)
 * is about the server, and may be over in a moment.
 */
const ABOUT_THE_STATEMENT = new Set(
  '00 01 02 03 07 09 0A 0B 0F 0L 0P 10 20 21 22 23 24 26 27 2B 2F 34 38 39 3B 42 44 54 P0'.split(' '),
)

/** Classes that hold both kinds, with the codes that pass. */
const PASSING: Record<string, RegExp> = {
  // Read-only, or ended by a time limit; the others are transactions that our own code used wrongly.
  25: /^25(006|P0[345])$/,
}

/** What the system says of a server that cannot be reached, or of a disk that takes nothing. */
const SYSTEM_CODES = new Set(
  (
    'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH EHOSTDOWN ENETUNREACH ' +
    'ENETDOWN ENETRESET EADDRNOTAVAIL ENOTCONN ENOSPC EDQUOT EROFS EIO EMFILE ENFILE ENOMEM ENOBUFS EAGAIN'
  ).split(' '),
)

/** What the driver says in words only. */
const PHRASES =
  /^(Connection terminated|Connection ended|timeout e(xceeded|xpired)|Query read timeout|Client (has encountered a connection error|was closed)|Cannot use a pool after calling end|The server does not support SSL|There was an error establishing an SSL|Timeout while acquiring)/

/** The cause of a cause of a cause; further down nobody wraps. */
const MAX_CAUSES = 5

/**
 * True when something failed because the database (or the disk) cannot do it now, and may work again in a moment:
 * the work is tried again or the caller is asked to, and nothing is given up for it.
 */
export function isUnavailable(error: unknown): boolean {
  return unavailableCode(error) !== undefined
}

/** The SQLSTATE or the system's code of an error that `isUnavailable`, for a log line. */
export function unavailableCode(error: unknown): string | undefined {
  for (let err = error, i = 0; err instanceof Error && i < MAX_CAUSES; err = err.cause, i++) {
    const { code } = err as { code?: unknown }
    if (typeof code === 'string' && isPassing(code)) return code
    if (PHRASES.test(err.message)) return 'connection lost'
  }
  return undefined
}

function isPassing(code: string): boolean {
  if (SYSTEM_CODES.has(code)) return true
  if (!/^[0-9A-Z]{5}$/.test(code) || /^E[A-Z]{4}$/.test(code)) return false
  const group = code.slice(0, 2)
  return PASSING[group]?.test(code) ?? !ABOUT_THE_STATEMENT.has(group)
}
