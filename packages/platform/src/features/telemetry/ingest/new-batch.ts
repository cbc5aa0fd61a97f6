import { encodePart } from '../storage/batch-codec.ts'
import type { NewBatch } from './ingest.store.ts'
import type { Observations } from './observations.ts'

/**
 * What the observations of a request were checked against. Requests are stored together only if all of these fields are
 * equal.
 */
export interface CheckedFor {
  buildingId: string
  revision: number
  /** The version of the webhooks. It changes when a webhook is created or deleted, or when its events are changed. */
  version: number
}

/** Encodes observations in the form in which they are stored. */
export function batchOf(observations: Observations, checked: CheckedFor, receivedAt: Date): NewBatch {
  const { count } = observations
  return newBatch(checked, receivedAt, { count, ...spanOf(observations), data: encodePart(observations) })
}

/** Observations that are encoded already. */
interface Encoded {
  count: number
  firstMs: number
  lastMs: number
  data: Buffer
}

export function newBatch(
  { buildingId, revision }: CheckedFor,
  receivedAt: Date,
  { count, firstMs, lastMs, data }: Encoded,
): NewBatch {
  return { buildingId, revision, receivedAt, firstAt: new Date(firstMs), lastAt: new Date(lastMs), count, data }
}

export function spanOf({ times, count }: Observations): { firstMs: number; lastMs: number } {
  let [firstMs, lastMs] = [times[0]!, times[0]!]
  for (let i = 1; i < count; i++) {
    if (times[i]! < firstMs) firstMs = times[i]!
    else if (times[i]! > lastMs) lastMs = times[i]!
  }
  return { firstMs, lastMs }
}
