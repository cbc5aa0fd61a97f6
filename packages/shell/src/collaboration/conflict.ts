import { StoreyError } from '@storey/sdk'

/** Whether the API refused a change because of a conflict, such as an outdated version or a name that is in use. */
export const isConflict = (error: unknown): error is StoreyError =>
  error instanceof StoreyError && (error.status === 409 || error.status === 412)
