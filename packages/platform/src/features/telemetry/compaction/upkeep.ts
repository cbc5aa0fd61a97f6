import type { CheckedTime } from '@storey/kit/clock-check'
import type { Upkeep } from './upkeep.store.ts'

const EVERY_MS = 3_600_000
/** A clock is trusted if two processes at least this far apart found that the clocks agree. */
const CONFIRMED_MS = 10 * 60_000

export type UpkeepStep =
  /** Done within the last hour. */
  | { type: 'none' }
  /** The time is recorded for a later process. */
  | { type: 'see'; at: Date }
  /** Days that are too old by `forgetAt` are deleted, and the others merged. */
  | { type: 'do'; forgetAt: Date; at: Date }

/**
 * The next step. A process that just started cannot know whether its clock is right, so it deletes nothing by its own
 * time; it uses the time that an earlier process recorded, if that has passed.
 */
export function nextUpkeep({ now, mayRemove }: CheckedTime, known: Upkeep | undefined): UpkeepStep {
  const since = (at: Date) => now.getTime() - at.getTime()
  // A time ahead of now was recorded while the clock was wrong.
  if (known?.doneAt && since(known.doneAt) >= 0 && since(known.doneAt) < EVERY_MS) return { type: 'none' }
  if (mayRemove) return { type: 'do', forgetAt: now, at: now }
  if (known && since(known.seenAt) >= CONFIRMED_MS) return { type: 'do', forgetAt: known.seenAt, at: now }
  const seen = known && since(known.seenAt) >= 0 ? known.seenAt : now
  return { type: 'see', at: seen }
}
