import { StoreyError } from '@storey/sdk'

/** Error messages by field name: validation errors, and a conflict of one field, such as a name that is taken. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof StoreyError)) return {}
  const { errors = [], field, detail } = error.problem
  return {
    ...(error.code === 'CONFLICT' && typeof field === 'string' ? { [field]: detail } : {}),
    ...Object.fromEntries(errors.map(({ pointer, detail }) => [pointer.slice(1), detail])),
  }
}
