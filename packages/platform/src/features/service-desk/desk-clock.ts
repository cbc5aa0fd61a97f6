import type { Tx } from '@storey/kit/database'
import { advanceClock } from './desk-clock.store.ts'

/**
 * Each change moves the desk's clock by at least a millisecond, and many changes in a short time move it ahead of the
 * system clock. If the desk's clock is further ahead than this, the system clock was probably ahead in the past. Due
 * times are then computed from the system clock.
 */
const MAX_AHEAD_MS = 60_000

/**
 * `at` is the unique time of a change. Due times are computed from `slaAt`: it is the same time, or the current time if
 * the desk's clock is more than MAX_AHEAD_MS ahead.
 */
export async function deskTime(tx: Tx, now: Date): Promise<{ at: Date; slaAt: Date }> {
  const at = await advanceClock(tx, now)
  return { at, slaAt: at.getTime() - now.getTime() > MAX_AHEAD_MS ? now : at }
}
