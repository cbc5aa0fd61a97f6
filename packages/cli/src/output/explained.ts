import type { ExitCode } from '../errors.ts'

/** An error for the user: an exit code, a problem object as in all APIs of Storey, and what to do next. */
export interface Explained {
  exitCode: ExitCode
  problem: Record<string, unknown> & { detail: string; code: string }
  next: string | undefined
}

/** A problem of the tool itself has the status 0 and an empty request id. */
export function localProblem(code: string, title: string, detail: string, members: object = {}): Explained['problem'] {
  const type = `urn:storey:problem:${code.toLowerCase().replaceAll('_', '-')}`
  return { type, title, status: 0, detail, code, requestId: '', ...members }
}
