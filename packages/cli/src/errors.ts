/** Exit codes: 64 as in sysexits, 130 as in shells. `output/sdk-errors.ts` decides which failure has which code. */
export const EXIT = { ok: 0, refused: 1, unreachable: 2, usage: 64, interrupted: 130 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export interface CliErrorOptions {
  code: string
  exitCode?: ExitCode
  /** What the user can do next, as a sentence. */
  next?: string
  /** Further members of the problem object. */
  members?: Record<string, unknown>
  cause?: unknown
}

/** An error of the tool itself, with a message for the user. */
export class CliError extends Error {
  readonly code: string
  readonly exitCode: ExitCode
  readonly next: string | undefined
  readonly members: Record<string, unknown>

  constructor(message: string, options: CliErrorOptions) {
    super(message, { cause: options.cause })
    this.name = 'CliError'
    this.code = options.code
    this.exitCode = options.exitCode ?? EXIT.refused
    this.next = options.next
    this.members = options.members ?? {}
  }
}

export function wrongUsage(message: string, next?: string): CliError {
  return new CliError(message, { code: 'USAGE', exitCode: EXIT.usage, ...(next === undefined ? {} : { next }) })
}
