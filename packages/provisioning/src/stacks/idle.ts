import type { Entry } from './stack-entry.ts'

/** The current time of the monotonic clock, and of the clock for due work. */
export interface Now {
  elapsedMs: number
  date: Date
}

/** Whether a stack has been idle for so long that it is stopped, even if no other stack waits for its capacity. */
export function isIdle({ state, uses, lastUsedAt, dueAt }: Entry, idleMs: number, now: Now): boolean {
  if (uses.size > 0 || lastUsedAt > now.elapsedMs - idleMs || state === 'stopping' || state === 'starting') return false
  // A running stack with work due soon keeps running. A stack that waits for a restart does no work, so it is idle.
  return !(state === 'running' && isDue(dueAt, idleMs, now))
}

/** Whether work is due within this time. */
export const isDue = (dueAt: Date | null | undefined, withinMs: number, { date }: Now): boolean =>
  dueAt != null && dueAt.getTime() <= date.getTime() + withinMs
