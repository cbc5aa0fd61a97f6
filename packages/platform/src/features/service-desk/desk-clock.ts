import type { Tx } from '@storey/kit/database'
import { advanceClock } from './desk-clock.store.ts'

/** More than a burst of changes, a millisecond each, can cause. */
const MAX_AHEAD_MS = 60_000

/** The unique time of a change, and the time for due times, which follows the clock if a wrong one was ahead. */
export async function deskTime(tx: Tx, now: Date): Promise<{ at: Date; slaAt: Date }> {
  const at = await advanceClock(tx, now)
  return { at, slaAt: at.getTime() - now.getTime() > MAX_AHEAD_MS ? now : at }
}
