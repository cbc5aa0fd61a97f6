import { isDue, type Now } from './idle.ts'
import type { Entry } from './stack-entry.ts'

/**
 * A stack runs at least this long before it is stopped for another, so that two stacks do not evict each other all the
 * time.
 */
const MIN_RUN_MS = 1_000
/** A stack that a caller used within this time is not stopped while there is a less used one. */
const CALLED_LATELY_MS = 10_000
/** A stack with work due within this time counts as a stack with work. */
const DUE_SOON_MS = 30_000

/** How long a stack keeps running while another one waits. */
export interface Keep {
  /**
   * How long callers must not have used a stack before it is stopped in these cases: it still has work, and a request
   * waits; or it has no work, and due work or a request without a valid credential waits. For a request with a valid
   * credential, a stack without work is stopped without this wait.
   */
  uncalledMs: number
  /**
   * How long a stack must have run before it is stopped in these cases: it has only work, and the due work of another
   * stack waits; or a request with a valid credential waits for a stack of an owner with fewer stacks, even if this
   * stack is in use.
   */
  runMs: number
}

export const KEEP: Keep = { uncalledMs: 60_000, runMs: 5 * 60_000 }

/**
 * What waits for capacity: a request for a stack of this owner, with a valid credential or without one, or the due work
 * of a stack.
 */
export type Waiting = { kind: 'request'; owner: string; isVerified: boolean } | { kind: 'work' }

/** The stack to stop in favour of another; undefined: none now. */
export function chooseStop(entries: readonly Entry[], waiting: Waiting, now: Now, keep = KEEP): Entry | undefined {
  const placed = entries.filter(({ state, isAdmitted }) => state === 'running' || (state === 'starting' && isAdmitted))
  const unneeded = placed
    .filter((entry) => !isCalled(entry, now) && !isDue(entry.dueAt, DUE_SOON_MS, now))
    .filter((entry) => isOfCaller(waiting) || isUncalled(entry, now, keep))
  if (unneeded.length > 0) return leastUsed(unneeded, now)
  // Only one stack with a caller or work is stopped at a time, because its connections may be enough for those that
  // wait.
  if (entries.some(({ state }) => state === 'stopping')) return undefined
  return keptLongest(placed, waiting, now, keep)
}

/**
 * The stack that callers have not used for the longest time. A stack that only unauthenticated clients use is stopped
 * before one that a caller has just used: such clients can wake any stack, but not keep it awake.
 */
function leastUsed(unneeded: Entry[], { elapsedMs: now }: Now): Entry | undefined {
  unneeded.sort((a, b) => a.lastCalledAt - b.lastCalledAt || a.startedAt - b.startedAt)
  const first = unneeded.find(({ state, runsSince }) => state === 'running' && now - runsSince >= MIN_RUN_MS)
  // A stack that a caller used lately is kept, because a less used one, which has only just started, can be stopped
  // soon.
  return first === unneeded[0] || now - (first?.lastCalledAt ?? now) >= CALLED_LATELY_MS ? first : undefined
}

/**
 * Used when all stacks have a caller or work. Three kinds of stacks may run for a limited time only: a stack without
 * requests, such as one with a simulation; a stack whose owner has at least two more stacks than the owner that waits;
 * and any stack while an owner without a stack waits. A stack of the owner with the most stacks is stopped first.
 */
function keptLongest(placed: readonly Entry[], waiting: Waiting, now: Now, keep: Keep): Entry | undefined {
  const countOf = (owner: string) => placed.filter(({ sandbox }) => sandbox.organizationId === owner).length
  const own = 'owner' in waiting && isOfCaller(waiting) ? countOf(waiting.owner) : undefined
  const hasMore = (count: number) => own !== undefined && (own === 0 || count > own + 1)
  const [stop] = placed
    .filter(({ state }) => state === 'running')
    .map((entry) => ({
      entry,
      isCalled: Number(!isUncalled(entry, now, keep)),
      count: countOf(entry.sandbox.organizationId),
      ranMs: now.elapsedMs - entry.runsSince,
    }))
    .filter(
      ({ isCalled, count, ranMs }) =>
        (hasMore(count) && ranMs >= keep.runMs) ||
        (!isCalled && ranMs >= (waiting.kind === 'request' ? keep.uncalledMs : keep.runMs)),
    )
    .sort((a, b) => b.count - a.count || a.isCalled - b.isCalled || a.entry.lastCalledAt - b.entry.lastCalledAt)
  return stop?.entry
}

/** Anyone can send a request without a valid credential, so no stack that a caller used lately is stopped for it. */
const isOfCaller = (waiting: Waiting) => waiting.kind === 'request' && waiting.isVerified

const isCalled = ({ uses }: Entry, { elapsedMs }: Now): boolean =>
  [...uses].some(({ since, isFromCaller }) => isFromCaller(elapsedMs - since))

const isUncalled = (entry: Entry, now: Now, { uncalledMs }: Keep): boolean =>
  !isCalled(entry, now) && now.elapsedMs - entry.lastCalledAt >= uncalledMs
