/**
 * What the status of a stack's answer says of a message. `refused`: the message is at fault, and the same one would be
 * refused again. `failed`: our own code is. `not-now`: nobody judged the message, so it has to come again.
 */
export type Verdict = 'ingested' | 'refused' | 'failed' | 'unavailable'

/** The refusals that the interface defines for observations: each is about the message itself. */
const REFUSALS = new Set([400, 404, 413, 415])

/** By the status alone: whatever else an answer holds, a message is never dropped for it. */
export function verdictOf(status: number): Verdict {
  if (status === 202) return 'ingested'
  if (REFUSALS.has(status)) return 'refused'
  return status === 500 ? 'failed' : 'unavailable'
}
