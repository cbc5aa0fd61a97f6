/**
 * A problem that keeps the program from starting, or an operator command from succeeding. Only its message is printed,
 * without a stack trace.
 */
export class StartupError extends Error {
  override name = 'StartupError'
}
