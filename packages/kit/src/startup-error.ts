/**
 * A problem that the user has to fix before the program can start. Only its message is printed, without a stack trace.
 */
export class StartupError extends Error {
  override name = 'StartupError'
}
