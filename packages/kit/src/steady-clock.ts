import { uptime } from 'node:os'
import { type Clock, systemClock, elapsedMs as systemElapsedMs } from './clock.ts'
import type { Log } from './log.ts'

/** An instant, and what the machine had counted since its start. Another process of the machine can go on from it. */
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
  /** Counts while the machine sleeps, too. */
  sinceBootMs?(): number
  /** From a process that runs for longer than this one, and may know better. */
  anchor?: ClockAnchor
}

/** A difference up to this is followed at once: a time server corrects as much. */
const MAX_STEP_MS = 60_000
/** A clock that was set by more is believed when it has stayed there for so long. */
const TRUSTED_AFTER_MS = 5 * 60_000
const ANCHOR_EVERY_MS = 10_000

/**
 * The clock of the machine, without its jumps. One that stands ahead for a moment and returns would write moments that
 * nobody reaches, and end what has not expired. Meanwhile time is counted on from where it was. A machine that slept has
 * counted its sleep, so its clock is believed at once.
 */
export function createSteadyClock(options: SteadyClockOptions): SteadyClock {
  const { log, clock = systemClock, elapsedMs = systemElapsedMs, sinceBootMs = () => uptime() * 1000 } = options
  let at = startAt(options.anchor)
  /** How far the machine's clock is off, and since when, as counted. */
  let jump: { byMs: number; sinceMs: number } | undefined

  function startAt(given: ClockAnchor | undefined) {
    const wallMs = clock.now().getTime()
    const countedMs = sinceBootMs()
    const passedMs = given === undefined ? -1 : countedMs - given.sinceBootMs
    // An anchor of another machine, or of its run before this one.
    if (given === undefined || passedMs < 0) return { wallMs, sinceBootMs: countedMs, elapsedMs: elapsedMs() }
    return { wallMs: given.wallMs + passedMs, sinceBootMs: countedMs, elapsedMs: elapsedMs() }
  }

  function follow(wallMs: number): Date {
    jump = undefined
    at = { wallMs, sinceBootMs: sinceBootMs(), elapsedMs: elapsedMs() }
    return new Date(wallMs)
  }

  function judge(wallMs: number): Date {
    const countedMs = sinceBootMs()
    const expectedMs = at.wallMs + countedMs - at.sinceBootMs
    const byMs = Math.round(wallMs - expectedMs)
    if (Math.abs(byMs) <= MAX_STEP_MS) {
      if (jump) log.info({ jumpMs: jump.byMs }, 'system clock is back')
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
    if (jump || !isExpected) return judge(wallMs)
    return passedMs < ANCHOR_EVERY_MS ? new Date(wallMs) : follow(wallMs)
  }

  return { now, anchor: () => ({ wallMs: now().getTime(), sinceBootMs: sinceBootMs() }) }
}
