/** Something a person has to mend before the program can start. Its message is shown alone, without a stack. */
export class StartupError extends Error {
  override name = 'StartupError'
}
