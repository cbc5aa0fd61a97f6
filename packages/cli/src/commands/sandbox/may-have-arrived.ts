import { mayHaveArrived as mayHaveBeenSent, StoreyError, UnreachableError } from '@storey/sdk'

/** The pauses before the tool checks whether a request had an effect although its response was lost. */
export const LOST_RESPONSE_POLLS_MS: readonly number[] = [1000, 2000]

/**
 * Whether a request that got no response from the service may have arrived at the service. After such a create request,
 * the tool looks for a sandbox with the requested name (`send-create.ts`). After such a reset request, it reads the
 * status of the sandbox (`reset-sandbox.ts`).
 */
export function mayHaveArrived(error: unknown): boolean {
  if (error instanceof StoreyError) return [502, 504].includes(error.status)
  return error instanceof UnreachableError && mayHaveBeenSent(error)
}
