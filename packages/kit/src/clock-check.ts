import { type Clock, MAX_UNCHECKED_MS, elapsedMs as systemElapsedMs } from './clock.ts'
import type { Log } from './log.ts'

export interface CheckedTime {
  /** The database server's time, which decides about expiry. */
  now: Date
  /** The clocks have agreed for long enough to expire something that can be restored. */
  mayExpire: boolean
  /** The clocks have agreed for long enough to remove something permanently. */
  mayRemove: boolean
}

export interface ClockCheck {
  /**
   * Compares the clocks of this process and of the database server now. Resolves with undefined if they do not agree,
   * or if the server responded too slowly. Rejects if the time of the server cannot be read, or if the trusted time
   * cannot be written.
   */
  compare(): Promise<CheckedTime | undefined>
  /**
   * Continues from the trusted time that an earlier process has recorded, and keeps this record up to date. If the
   * clocks are far from the recorded time, they may have jumped while no process compared them. Then nothing expires
   * until they have agreed for `afterDisagreementMs`.
   */
  continueFrom(record: TrustedTime): Promise<void>
  /** The result of the last comparison, for the metrics. */
  state(): { agree: boolean; differenceMs: number }
}

/**
 * Keeps the last trusted time for the next process. A time of the database server is trusted if the clocks had agreed
 * for long enough by then to expire something.
 */
export interface TrustedTime {
  /** How often the time is written; by default every ten minutes. */
  everyMs?: number
  read(): Promise<Date>
  write(at: Date): Promise<void>
}

export interface ClockCheckOptions {
  clock: Clock
  /** Reads the clock of the database server. */
  serverTime(): Promise<Date>
  elapsedMs?(): number
  agreement?: AgreementTimes
  log: Log
}

/** How long the clocks must have agreed. */
export interface AgreementTimes {
  afterStartMs: number
  afterDisagreementMs: number
  beforeRemovalMs: number
}

const AGREEMENT_TIMES: AgreementTimes = {
  afterStartMs: 20_000,
  afterDisagreementMs: 5 * 60_000,
  beforeRemovalMs: 10 * 60_000,
}
const MAX_DIFFERENCE_MS = 60_000
/** A slower response is too inaccurate to compare the clocks. */
const MAX_ANSWER_MS = 10_000
const RECORD_EVERY_MS = 10 * 60_000

interface Reading {
  processMs: number
  serverMs: number
  elapsedMs: number
}

/**
 * Checks whether the clocks can be trusted enough to expire or remove something. If the clock of this process or of the
 * database server was changed, the two differ. If both were changed together, they differ from the monotonic clock. If
 * both were changed before this process started, they differ from the last trusted time of an earlier process.
 */
export function createClockCheck(options: ClockCheckOptions): ClockCheck {
  const { clock, serverTime, elapsedMs = systemElapsedMs, agreement = AGREEMENT_TIMES, log } = options
  let last: Reading | undefined
  let agreedSinceMs: number | undefined
  let disagreed = false
  let differenceMs = 0
  let record: TrustedTime | undefined
  /** The last trusted time of an earlier process, until it is compared. */
  let earlierMs: number | undefined
  let recordedAtMs: number | undefined

  async function compare(): Promise<CheckedTime | undefined> {
    const startedMs = elapsedMs()
    const processMs = clock.now().getTime()
    const serverMs = (await serverTime()).getTime()
    const found = { processMs, serverMs, elapsedMs: startedMs }
    if (elapsedMs() - startedMs > MAX_ANSWER_MS) return undefined
    const before = last
    last = found
    differenceMs = processMs - serverMs
    const jumpMs = before === undefined ? 0 : jumpBetween(before, found)
    if (Math.abs(differenceMs) > MAX_DIFFERENCE_MS || jumpMs > MAX_DIFFERENCE_MS) {
      if (agreedSinceMs !== undefined || !disagreed) {
        log.warn({ differenceMs, jumpMs }, 'clocks disagree, expiry and removal by age paused')
      }
      agreedSinceMs = undefined
      recordedAtMs = undefined
      disagreed = true
      return undefined
    }
    checkStart(serverMs, startedMs)
    if (agreedSinceMs === undefined && disagreed) log.info({ differenceMs }, 'clocks agree again')
    agreedSinceMs ??= startedMs
    const agreedMs = startedMs - agreedSinceMs
    const mayExpire = agreedMs >= (disagreed ? agreement.afterDisagreementMs : agreement.afterStartMs)
    if (mayExpire) await keep(new Date(serverMs), startedMs)
    return { now: new Date(serverMs), mayExpire, mayRemove: mayExpire && agreedMs >= agreement.beforeRemovalMs }
  }

  /** If the clocks are far from the last trusted time, nothing expires until they have agreed for a while. */
  function checkStart(serverMs: number, atMs: number): void {
    if (earlierMs === undefined) return
    const gapMs = serverMs - earlierMs
    earlierMs = undefined
    if (Math.abs(gapMs) <= MAX_UNCHECKED_MS) return
    log.warn({ gapMs }, 'clocks far from the last trusted time, expiry paused')
    agreedSinceMs = atMs
    disagreed = true
  }

  async function keep(now: Date, atMs: number): Promise<void> {
    if (!record || (recordedAtMs !== undefined && atMs - recordedAtMs < (record.everyMs ?? RECORD_EVERY_MS))) return
    await record.write(now)
    recordedAtMs = atMs
  }

  async function continueFrom(given: TrustedTime): Promise<void> {
    earlierMs = (await given.read()).getTime()
    record = given
  }

  return {
    compare,
    continueFrom,
    state: () => ({ agree: last !== undefined && agreedSinceMs !== undefined, differenceMs }),
  }
}

/** By how much a clock moved more or less than the elapsed time, for the clock with the larger difference. */
function jumpBetween(before: Reading, after: Reading): number {
  const passedMs = after.elapsedMs - before.elapsedMs
  const processJump = Math.abs(after.processMs - before.processMs - passedMs)
  const serverJump = Math.abs(after.serverMs - before.serverMs - passedMs)
  return Math.max(processJump, serverJump)
}
