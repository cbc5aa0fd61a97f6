import { uptime } from 'node:os'
import { type Clock, MAX_UNCHECKED_MS, systemClock, elapsedMs as systemElapsedMs } from './clock.ts'
import type { Log } from './log.ts'

/** A time and the matching uptime of the machine. Another process on the machine can continue from this time. */
export interface ClockAnchor {
  wallMs: number
  sinceBootMs: number
  /**
   * The last trusted time of an earlier process (`TrustedTime` in `clock-check.ts`). Present while `wallMs` is
   * doubtful, because the time at the start was far from the trusted time.
   */
  trustedMs?: number
}

export interface SteadyClock extends Clock {
  latest(): Date
  anchor(): ClockAnchor
  /**
   * Compares the time with the last trusted time of an earlier process (`TrustedTime` in `clock-check.ts`). Call this
   * soon after the start.
   */
  checkStart(trusted: Date): void
}

export interface SteadyClockOptions {
  log: Log
  clock?: Clock
  elapsedMs?(): number
  /** The uptime of the machine, including sleep. */
  sinceBootMs?(): number
  /** The anchor of a process that has run for longer and may know the right time. */
  anchor?: ClockAnchor
}

/** Differences up to this one are accepted immediately: corrections by a time server are usually that small. */
const MAX_STEP_MS = 60_000
/** A larger jump is accepted if the clock has not jumped again within this time. */
const TRUSTED_AFTER_MS = 5 * 60_000
const ANCHOR_EVERY_MS = 10_000

/**
 * The machine's clock without short jumps. If the machine's clock jumped ahead and back, times far in the future would
 * be stored, and what is still valid would count as expired. For five minutes after a jump this clock continues from
 * the time before the jump; then it accepts the new time. After sleep the uptime has grown as well, so the new time is
 * accepted immediately. A correction is accepted immediately too, if it comes soon after a start with a time that is
 * far from the last trusted one.
 */
export function createSteadyClock(options: SteadyClockOptions): SteadyClock {
  const { log, clock = systemClock, elapsedMs = systemElapsedMs, sinceBootMs = () => uptime() * 1000 } = options
  let at = startAt(options.anchor)
  /** The last trusted time of an earlier process, and until which uptime a correction towards it is accepted. */
  let doubt: { trustedMs: number; untilMs: number } | undefined
  if (options.anchor?.trustedMs !== undefined) checkStart(new Date(options.anchor.trustedMs))
  /** How far the machine's clock has jumped, and since which uptime. */
  let jump: { byMs: number; sinceMs: number } | undefined

  function startAt(given: ClockAnchor | undefined) {
    const wallMs = clock.now().getTime()
    const countedMs = sinceBootMs()
    const passedMs = given === undefined ? -1 : countedMs - given.sinceBootMs
    // There is no anchor, or it comes from another machine or from before a reboot.
    if (given === undefined || passedMs < 0) return { wallMs, sinceBootMs: countedMs, elapsedMs: elapsedMs() }
    return { wallMs: given.wallMs + passedMs, sinceBootMs: countedMs, elapsedMs: elapsedMs() }
  }

  function checkStart(trusted: Date): void {
    const trustedMs = trusted.getTime()
    const isDoubtful = Math.abs(at.wallMs - trustedMs) > MAX_UNCHECKED_MS
    doubt = isDoubtful ? { trustedMs, untilMs: sinceBootMs() + TRUSTED_AFTER_MS } : undefined
  }

  /** Whether a time server has corrected the clock of a machine that booted with a wrong time. */
  function isCorrection(wallMs: number, expectedMs: number): boolean {
    if (doubt === undefined || sinceBootMs() > doubt.untilMs || wallMs < doubt.trustedMs - MAX_STEP_MS) return false
    return expectedMs < doubt.trustedMs || wallMs < expectedMs
  }

  function follow(wallMs: number): Date {
    jump = undefined
    at = { wallMs, sinceBootMs: sinceBootMs(), elapsedMs: elapsedMs() }
    return new Date(wallMs)
  }

  function checkJump(wallMs: number): Date {
    const countedMs = sinceBootMs()
    const expectedMs = at.wallMs + countedMs - at.sinceBootMs
    const byMs = Math.round(wallMs - expectedMs)
    if (Math.abs(byMs) <= MAX_STEP_MS) {
      if (jump) log.info({ jumpMs: jump.byMs }, 'system clock corrected')
      return follow(wallMs)
    }
    if (isCorrection(wallMs, expectedMs)) {
      log.warn({ jumpMs: byMs }, 'system clock corrected after a start with a doubtful time')
      doubt = undefined
      return follow(wallMs)
    }
    if (!jump || Math.abs(byMs - jump.byMs) > MAX_STEP_MS) {
      log.warn({ jumpMs: byMs }, 'system clock jumped, ignoring it for now')
      jump = { byMs, sinceMs: countedMs }
    }
    if (countedMs - jump.sinceMs < TRUSTED_AFTER_MS) return new Date(Math.floor(expectedMs))
    log.warn({ jumpMs: byMs }, 'system clock jump accepted')
    return follow(wallMs)
  }

  function now(): Date {
    const wallMs = clock.now().getTime()
    const passedMs = elapsedMs() - at.elapsedMs
    const isExpected = Math.abs(wallMs - at.wallMs - passedMs) <= MAX_STEP_MS
    if (jump || !isExpected) return checkJump(wallMs)
    return passedMs < ANCHOR_EVERY_MS ? new Date(wallMs) : follow(wallMs)
  }

  function latest(): Date {
    return new Date(Math.max(now().getTime(), clock.now().getTime()))
  }

  function anchor(): ClockAnchor {
    const given = { wallMs: now().getTime(), sinceBootMs: sinceBootMs() }
    const isDoubtful = doubt !== undefined && given.sinceBootMs <= doubt.untilMs
    return isDoubtful ? { ...given, trustedMs: doubt!.trustedMs } : given
  }

  return { now, latest, anchor, checkStart }
}
