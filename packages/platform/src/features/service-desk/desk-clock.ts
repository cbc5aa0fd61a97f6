import type { Tx } from '@storey/kit/database'
import { advanceClock } from './desk-clock.store.ts'

/**
 * Each change moves the desk's clock ahead by at least a millisecond, and many changes at once never move it by this
 * much. If the desk's clock is further ahead than this, the system clock was wrong once.
 */
const MAX_AHEAD_MS = 60_000

/**
 * `at` is the unique time of a change. Due times are computed from `slaAt`: it is the same time, or the current time if
 * a wrong clock has moved the desk's clock ahead.
 */
export async function deskTime(tx: Tx, now: Date): Promise<{ at: Date; slaAt: Date }> {
  const at = await advanceClock(tx, now)
  return { at, slaAt: at.getTime() - now.getTime() > MAX_AHEAD_MS ? now : at }
}
