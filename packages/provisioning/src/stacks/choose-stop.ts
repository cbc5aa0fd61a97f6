import { isDue, type Now } from './idle.ts'
import { countStacks, ownerOf, shareOf } from './shares.ts'
import { type Entry, lastCallOf } from './stack-entry.ts'

/** A stack that no caller uses runs at least this long before it is stopped for another. */
const MIN_RUN_MS = 1_000
/** A stack with work due within this time counts as a stack with work. */
const DUE_SOON_MS = 30_000

/** A stop that has taken longer than this may not succeed soon, so another stack may be stopped too. */
const STOP_MS = 60_000

/** How long a stack keeps running while another one waits. */
export interface KeepTimes {
  /**
   * The minimum run time of a stack that callers use or used lately, so that stacks do not evict each other all the
   * time.
   */
  turnMs: number
  /**
   * A stack that no caller has used for this long no longer counts as used. If it has work, it must also have run for
   * this long before it is stopped for a request.
   */
  uncalledMs: number
  /**
   * How long a stack must have run before it is stopped in one of two cases: it has work but no caller, and the due
   * work of another stack waits; or it is in use, no owner has more stacks than the share (`shares.ts`), and an owner
   * without a stack waits.
   */
  runMs: number
}

export const KEEP_TIMES: KeepTimes = { turnMs: 10_000, uncalledMs: 60_000, runMs: 5 * 60_000 }

/**
 * What waits for capacity: a request for a stack of this owner, with a valid credential or without one, or the due work
 * of a stack. `coming`: how many stacks are already being stopped for this owner.
 */
export type Waiting = { kind: 'request'; owner: string; isVerified: boolean; coming?: number } | { kind: 'work' }

/** The stack to stop in favour of another; undefined if none may be stopped now. */
export function chooseStop(
  entries: readonly Entry[],
  waiting: Waiting,
  now: Now,
  keep = KEEP_TIMES,
): Entry | undefined {
  const placed = entries.filter(({ state, isAdmitted }) => state === 'running' || (state === 'starting' && isAdmitted))
  const uncalled = placed.filter((entry) => isUncalled(entry, now, keep))
  const unneeded = uncalled.filter(({ dueAt }) => !isDue(dueAt, DUE_SOON_MS, now))
  // If all unneeded stacks have only just started, no other stack is stopped, because one of them can be stopped soon.
  if (unneeded.length > 0) return unneeded.filter((entry) => hasRun(entry, MIN_RUN_MS, now)).sort(byLastCall)[0]
  const workMs = waiting.kind === 'work' ? keep.runMs : keep.uncalledMs
  const working = uncalled.filter((entry) => hasRun(entry, workMs, now))
  const candidates = working.length > 0 ? working : ofCallers(entries, placed, waiting, now, keep)
  const countOf = countStacks(placed)
  const [stop] = candidates.sort(
    (a, b) => countOf(b) - countOf(a) || Number(isCalled(a, now)) - Number(isCalled(b, now)) || byLastCall(a, b),
  )
  // Only one stack with a caller or work is stopped at a time, because its connections may be enough for those that
  // wait.
  const hasUse = stop && (isCalled(stop, now) || isDue(stop.dueAt, DUE_SOON_MS, now))
  return hasUse && entries.some((entry) => isBeingStopped(entry, now)) ? undefined : stop
}

const isBeingStopped = ({ state, stoppingSince }: Entry, { elapsedMs }: Now): boolean =>
  state === 'stopping' && elapsedMs - stoppingSince < STOP_MS

/**
 * The stacks that may be stopped although callers use them now or used them lately. These are the stacks of owners with
 * more than their share and at least two stacks more than the owner that waits: with a difference of one, two owners
 * would take a stack from each other all the time. If there are no such owners, an owner that has stacks can only
 * replace one of its own that is not in use now. An owner without a stack can replace any stack that is not in use now,
 * or that has run for long.
 */
function ofCallers(
  entries: readonly Entry[],
  placed: readonly Entry[],
  waiting: Waiting,
  now: Now,
  keep: KeepTimes,
): Entry[] {
  // Anyone can send a request without a valid credential, so no stack that a caller used lately is stopped for it.
  if (waiting.kind === 'work' || !waiting.isVerified) return []
  const countOf = countStacks(placed)
  const own = countOf(waiting) + (waiting.coming ?? 0)
  const called = placed.filter((entry) => !isUncalled(entry, now, keep))
  const share = shareOf(entries, called, waiting.owner)
  const above = placed.filter((entry) => countOf(entry) > share && countOf(entry) >= own + 2)
  const candidates = (above.length > 0 ? above : placed).filter((entry) => hasRun(entry, keep.turnMs, now))
  if (above.length > 0) return candidates
  const isInUse = (entry: Entry) => isCalled(entry, now) || isDue(entry.dueAt, DUE_SOON_MS, now)
  if (own === 0) return candidates.filter((entry) => !isInUse(entry) || hasRun(entry, keep.runMs, now))
  return candidates.filter((entry) => ownerOf(entry) === waiting.owner && !isInUse(entry))
}

const byLastCall = (a: Entry, b: Entry): number => lastCallOf(a) - lastCallOf(b) || a.startedAt - b.startedAt

const hasRun = ({ state, runsSince }: Entry, ms: number, { elapsedMs }: Now): boolean =>
  state === 'running' && elapsedMs - runsSince >= ms

/** Whether a caller uses the stack now. `isVerified` is true only for callers: their credential was found valid. */
const isCalled = ({ uses }: Entry, { elapsedMs }: Now): boolean =>
  [...uses].some(({ since, isFromCaller, isVerified }) => isVerified || isFromCaller(elapsedMs - since))

const isUncalled = (entry: Entry, now: Now, { uncalledMs }: KeepTimes): boolean =>
  !isCalled(entry, now) && now.elapsedMs - lastCallOf(entry) >= uncalledMs
