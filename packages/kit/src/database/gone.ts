/** Ways in which a server that stops, starts or cannot be reached says so: SQLSTATE codes and system errors. */
const GONE = /^(57P0[1-3]|08...|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH)$/
const PHRASES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** True when a query failed because the server was not there, and may work again in a moment. */
export function isDatabaseGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  return (typeof code === 'string' && GONE.test(code)) || PHRASES.test(error.message)
}
