import { StoreyError } from '@storey/sdk'

/** Whether a step was refused because the thing is no longer as the page showed it. */
export const isConflict = (error: unknown): error is StoreyError =>
  error instanceof StoreyError && (error.status === 409 || error.status === 412)
