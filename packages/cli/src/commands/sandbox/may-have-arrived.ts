import { mayHaveArrived as mayHaveBeenSent, StoreyError, UnreachableError } from '@storey/sdk'

/** The pauses before the tool checks whether a request had an effect although its response was lost. */
export const LOST_RESPONSE_POLLS_MS: readonly number[] = [1000, 2000]

/**
 * Whether a request could have arrived at the service although the tool got no response from it. If a create request
 * could have arrived, the tool looks for a sandbox with the requested name (`send-create.ts`). If a reset request could
 * have arrived, the tool reads the status of the sandbox (`reset-sandbox.ts`).
 */
export function mayHaveArrived(error: unknown): boolean {
  if (error instanceof StoreyError) return [502, 504].includes(error.status)
  return error instanceof UnreachableError && mayHaveBeenSent(error)
}
