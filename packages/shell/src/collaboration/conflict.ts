import { StoreyError } from '@storey/sdk'

/** Whether the API refused a change because the record is not in the expected state or version. */
export const isConflict = (error: unknown): error is StoreyError =>
  error instanceof StoreyError && (error.status === 409 || error.status === 412)
