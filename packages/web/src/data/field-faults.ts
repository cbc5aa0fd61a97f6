import { StoreyError } from '@storey/sdk'

/**
 * What the service said of single fields, to stand beside them: those that do not fit, and one whose value is taken
 * already.
 */
export function fieldFaults(error: unknown): Record<string, string> {
  if (!(error instanceof StoreyError)) return {}
  const { errors = [], field, detail } = error.problem
  return {
    ...(error.code === 'CONFLICT' && typeof field === 'string' ? { [field]: detail } : {}),
    ...Object.fromEntries(errors.map((fault) => [fault.pointer.slice(1), fault.detail])),
  }
}
