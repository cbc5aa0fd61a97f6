import { CliError } from '../errors.ts'
import { describeSystemError, isSystemError } from '../output/system-errors.ts'

/** The error for a file or folder of the configuration that cannot be used, with the reason and the fix. */
export function storeUnusable(path: string, error: unknown): unknown {
  if (!isSystemError(error)) return error
  return new CliError(`The configuration file or folder ${path} cannot be used: ${describeSystemError(error)}.`, {
    code: 'STORE_UNUSABLE',
    next:
      error.code === 'EISDIR'
        ? 'Move that folder: the tool stores a file of that name.'
        : 'Make it readable and writable for you, set XDG_CONFIG_HOME (on Windows APPDATA) to another folder, or use SVC_API_TOKEN with an API key.',
    cause: error,
  })
}

/** The error for a session file that the tool cannot parse. */
export function storeBroken(path: string, cause?: unknown): CliError {
  return new CliError(`The session file ${path} is damaged.`, {
    code: 'STORE_BROKEN',
    next: '`svc logout` removes it, and `svc login` creates a new one.',
    cause,
  })
}

export const isBroken = (error: unknown): boolean => error instanceof CliError && error.code === 'STORE_BROKEN'
