import { CliError } from '../errors.ts'
import { isSystemError, systemWords } from '../output/system-errors.ts'

/** The place of the sessions cannot be used: says which, why, and what to do. */
export function storeUnusable(path: string, error: unknown): unknown {
  if (!isSystemError(error)) return error
  return new CliError(`Sessions are kept in ${path}, and that cannot be used: ${systemWords(error)}.`, {
    code: 'STORE_UNUSABLE',
    next:
      error.code === 'EISDIR'
        ? 'Move that folder away: the tool keeps a file of that name.'
        : 'Make it yours to read and write, set XDG_CONFIG_HOME to another folder, or use SVC_API_TOKEN with an API key.',
    cause: error,
  })
}

/** What is in the file is nothing that the tool has written. */
export function storeBroken(path: string, cause?: unknown): CliError {
  return new CliError(`${path}, where sessions are kept, is broken.`, {
    code: 'STORE_BROKEN',
    next: '`svc logout` removes it, and `svc login` writes it anew.',
    cause,
  })
}

export const isBroken = (error: unknown): boolean => error instanceof CliError && error.code === 'STORE_BROKEN'
