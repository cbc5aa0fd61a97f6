import type { CheckedTime } from '@storey/kit/clock-check'
import type { Upkeep } from './upkeep.store.ts'

const EVERY_MS = 3_600_000
/** Two processes that saw the clocks agree, so far apart, know as much as one that saw it for as long. */
const CONFIRMED_MS = 10 * 60_000

export type UpkeepStep =
  /** It was done within the hour. */
  | { type: 'none' }
  /** Recorded, so that a later process may do it. */
  | { type: 'see'; at: Date }
  /** Days that are too old by `forgetAt` are let go, and the others put together. */
  | { type: 'do'; forgetAt: Date; at: Date }

/**
 * What is due. A process that was just started cannot tell whether its clock was set, so it takes nothing away by its own
 * time; it does by the time that an earlier one saw, if that has passed by now.
 */
export function nextUpkeep({ now, mayRemove }: CheckedTime, known: Upkeep | undefined): UpkeepStep {
  const since = (at: Date) => now.getTime() - at.getTime()
  // A time ahead of now was written while the clock was wrong.
  if (known?.doneAt && since(known.doneAt) >= 0 && since(known.doneAt) < EVERY_MS) return { type: 'none' }
  if (mayRemove) return { type: 'do', forgetAt: now, at: now }
  if (known && since(known.seenAt) >= CONFIRMED_MS) return { type: 'do', forgetAt: known.seenAt, at: now }
  const seen = known && since(known.seenAt) >= 0 ? known.seenAt : now
  return { type: 'see', at: seen }
}
