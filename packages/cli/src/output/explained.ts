import type { ExitCode } from '../errors.ts'

/** How something ended, in the form that every API of Storey uses. */
export interface Explained {
  exitCode: ExitCode
  problem: Record<string, unknown> & { detail: string; code: string }
  next: string | undefined
}

/** What the tool itself has to say has no status of HTTP and no request: 0 and nothing. */
export function localProblem(code: string, title: string, detail: string, members: object = {}): Explained['problem'] {
  const type = `urn:storey:problem:${code.toLowerCase().replaceAll('_', '-')}`
  return { type, title, status: 0, detail, code, requestId: '', ...members }
}
