import type { Entry } from './stack-entry.ts'

/** A stack runs at least this long before it is stopped for another, so that two stacks do not evict each other all the time. */
const MIN_RUN_MS = 1_000
/** Others are stopped before a stack that a caller used within this time. */
const CALLED_LATELY_MS = 10_000
/** A stack with work due within this time is not stopped. */
const DUE_SOON_MS = 30_000
/** How long a stack that has its own work, or whose owner has more stacks than others, keeps running while others wait. */
export const KEEP_MS = 5 * 60_000

/** The time on the monotonic clock, and on the one for due work. */
export interface Now {
  elapsedMs: number
  date: Date
}

/** Whether a stack is stopped because it is idle, even if no other stack waits. */
export function isIdle({ state, uses, lastUsedAt, dueAt }: Entry, idleMs: number, now: Now): boolean {
  if (uses.size > 0 || lastUsedAt > now.elapsedMs - idleMs || state === 'stopping' || state === 'starting') return false
  // A running stack with work due soon keeps running. A stack that cannot start does no work.
  return !(state === 'running' && isDue(dueAt, idleMs, now))
}

/** The stack to stop in favour of one of `owner`; undefined: none now. */
export function chooseStop(entries: readonly Entry[], owner: string, now: Now, keepMs = KEEP_MS): Entry | undefined {
  const placed = entries.filter(({ state, isAdmitted }) => state === 'running' || (state === 'starting' && isAdmitted))
  const unneeded = placed.filter((entry) => !isCalled(entry, now) && !isDue(entry.dueAt, DUE_SOON_MS, now))
  if (unneeded.length > 0) return leastUsed(unneeded, now)
  // Only one at a time, because its connections may be enough for all waiting stacks.
  if (entries.some(({ state }) => state === 'stopping')) return undefined
  return keptLongest(placed, owner, now, keepMs)
}

/**
 * The stack that callers have not used for the longest time. A stack that only unauthenticated clients use is stopped
 * before one that a caller has just used: they can wake any stack, but not keep it awake.
 */
function leastUsed(unneeded: Entry[], { elapsedMs: now }: Now): Entry | undefined {
  unneeded.sort((a, b) => a.lastCalledAt - b.lastCalledAt || a.startedAt - b.startedAt)
  const first = unneeded.find(({ state, runsSince }) => state === 'running' && now - runsSince >= MIN_RUN_MS)
  // Another stack without a caller may be stopped in a moment.
  return first === unneeded[0] || now - (first?.lastCalledAt ?? now) >= CALLED_LATELY_MS ? first : undefined
}

/**
 * Used when all stacks have a caller or work. A stack without requests, such as one with a simulation, may run for a limited
 * time, and so may several stacks of one owner while another owner has none. The owner with the most stacks comes first.
 */
function keptLongest(placed: readonly Entry[], owner: string, now: Now, keepMs: number): Entry | undefined {
  const countOf = (one: string) => placed.filter(({ sandbox }) => sandbox.organizationId === one).length
  const [stop] = placed
    .filter(({ state, runsSince }) => state === 'running' && now.elapsedMs - runsSince >= keepMs)
    .map((entry) => ({ entry, count: countOf(entry.sandbox.organizationId) }))
    .filter(({ entry, count }) => count >= countOf(owner) + 2 || isUncalled(entry, now, keepMs))
    .sort((a, b) => b.count - a.count || a.entry.lastCalledAt - b.entry.lastCalledAt)
  return stop?.entry
}

const isCalled = ({ uses }: Entry, { elapsedMs }: Now): boolean =>
  [...uses].some(({ since, isFromCaller }) => isFromCaller(elapsedMs - since))

const isUncalled = (entry: Entry, now: Now, keepMs: number): boolean =>
  !isCalled(entry, now) && now.elapsedMs - entry.lastCalledAt >= keepMs

const isDue = (dueAt: Date | null | undefined, withinMs: number, { date }: Now): boolean =>
  dueAt != null && dueAt.getTime() <= date.getTime() + withinMs
