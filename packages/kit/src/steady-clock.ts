import { uptime } from 'node:os'
import { type Clock, systemClock, elapsedMs as systemElapsedMs } from './clock.ts'
import type { Log } from './log.ts'

/** A time and the matching uptime of the machine. Another process on the machine can continue from it. */
export interface ClockAnchor {
  wallMs: number
  sinceBootMs: number
}

export interface SteadyClock extends Clock {
  anchor(): ClockAnchor
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

/** Smaller differences are followed immediately, because corrections by a time server are usually that small. */
const MAX_STEP_MS = 60_000
/** A larger jump is accepted after the clock has stayed there for this time. */
const TRUSTED_AFTER_MS = 5 * 60_000
const ANCHOR_EVERY_MS = 10_000

/**
 * The machine's clock without short jumps. A clock that jumps ahead and returns would write times far in the future,
 * and expire what has not expired. For five minutes after a jump this clock continues from the time before it; then it
 * accepts the new time. After sleep the uptime has grown as well, so the new time is accepted immediately.
 */
export function createSteadyClock(options: SteadyClockOptions): SteadyClock {
  const { log, clock = systemClock, elapsedMs = systemElapsedMs, sinceBootMs = () => uptime() * 1000 } = options
  let at = startAt(options.anchor)
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

  return { now, anchor: () => ({ wallMs: now().getTime(), sinceBootMs: sinceBootMs() }) }
}
