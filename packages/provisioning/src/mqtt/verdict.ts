/**
 * The meaning of a stack's status code. `refused`: the message is invalid and would be refused again. `failed`: our own
 * code failed. `unavailable`: the message was neither stored nor refused, and has to be sent again.
 */
export type Verdict = 'ingested' | 'refused' | 'failed' | 'unavailable'

/** The refusals that the API defines for observations: each is about the message itself. */
const REFUSALS = new Set([400, 404, 413, 415])

/** Uses the status alone: a message is never dropped because of the response body. */
export function verdictOf(status: number): Verdict {
  if (status === 202) return 'ingested'
  if (REFUSALS.has(status)) return 'refused'
  return status === 500 ? 'failed' : 'unavailable'
}
