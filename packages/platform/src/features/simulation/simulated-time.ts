import type { SimulationOrder } from '@storey/contract'

/** How simulated time runs, and how far observations were sent. All in milliseconds since the epoch. */
export interface Course {
  running: boolean
  speed: number
  startedMs: number | null
  /** Simulated time at a real instant; from there on it runs at `speed`. */
  anchorRealMs: number
  anchorSimulatedMs: number
  /** Everything up to here was sent, the last of it with the real timestamp `sentRealMs`. */
  sentUntilMs: number
  sentRealMs: number
}

/** How much of the time without a process is caught up, at speed 1. */
const MAX_LAG_MS = 6 * 3_600_000
/** At any other speed, in real time. */
const MAX_LAG_REAL_MS = 10_000

/** The clocks of two processes may differ by this much. */
const MAX_LEAD_MS = 60_000

export function simulatedAt({ running, speed, anchorRealMs, anchorSimulatedMs }: Course, realMs: number): number {
  if (!running) return anchorSimulatedMs
  return anchorSimulatedMs + Math.floor(Math.max(0, realMs - anchorRealMs) * speed)
}

/**
 * The real timestamp of an instant that was not sent yet. Before the anchor it is interpolated between the last one sent
 * and the anchor: that is the speed before the command that set the anchor.
 */
export function stampOf(course: Course, simulatedMs: number): number {
  const { speed, anchorRealMs, anchorSimulatedMs, sentUntilMs, sentRealMs } = course
  if (simulatedMs >= anchorSimulatedMs) return anchorRealMs + Math.floor((simulatedMs - anchorSimulatedMs) / speed)
  const part = (simulatedMs - sentUntilMs) / (anchorSimulatedMs - sentUntilMs)
  return sentRealMs + Math.floor(part * (anchorRealMs - sentRealMs))
}

/** Marks everything up to an instant as sent. */
export const sentTo = (course: Course, simulatedMs: number): Course => ({
  ...course,
  sentUntilMs: simulatedMs,
  sentRealMs: stampOf(course, simulatedMs),
})

/**
 * The state after a command; the same object when nothing changes. Time never runs backwards, so that meters only rise: a
 * building that ran ahead of the clock continues from where it was, any other from the present.
 */
export function afterCommand(before: Course | undefined, order: SimulationOrder, nowMs: number): Course {
  const course = before ?? stoppedAt(nowMs)
  const { running = course.running, speed = course.speed } = order
  if (before && running === course.running && speed === course.speed) return course
  const here = simulatedAt(course, nowMs)
  if (course.running) {
    const startedMs = running ? course.startedMs : null
    return { ...course, running, speed, startedMs, anchorRealMs: nowMs, anchorSimulatedMs: here }
  }
  if (!running) return { ...course, speed }
  const from = Math.max(here, nowMs)
  return { ...stoppedAt(nowMs), running, speed, startedMs: nowMs, anchorSimulatedMs: from, sentUntilMs: from }
}

const stoppedAt = (nowMs: number): Course => ({
  running: false,
  speed: 1,
  startedMs: null,
  anchorRealMs: nowMs,
  anchorSimulatedMs: nowMs,
  sentUntilMs: nowMs,
  sentRealMs: nowMs,
})

/**
 * Corrects a state whose times lie in the future; the same object when they do not. If a clock was ahead and has been set
 * back, the building continues at once, rather than waiting for that time.
 */
function limitLead(course: Course, nowMs: number): Course {
  const { running, anchorRealMs, anchorSimulatedMs, sentUntilMs, sentRealMs } = course
  if (!running || Math.max(anchorRealMs, sentRealMs) <= nowMs + MAX_LEAD_MS) return course
  return {
    ...course,
    ...{ anchorRealMs: nowMs, sentRealMs: nowMs },
    anchorSimulatedMs: Math.max(anchorSimulatedMs, sentUntilMs),
  }
}

/**
 * Limits how far a state is behind or ahead; the same object when it is neither. At speed 1 the missed time is skipped.
 * A faster building is not tied to the clock: its time stops meanwhile, so one that is too large for its speed runs
 * more slowly, and skips nothing.
 */
export function limitLag(stored: Course, nowMs: number): Course {
  const course = limitLead(stored, nowMs)
  const { running, speed } = course
  const target = simulatedAt(course, nowMs)
  if (target - course.sentUntilMs <= (speed === 1 ? MAX_LAG_MS : speed * MAX_LAG_REAL_MS)) return course
  if (!running || speed === 1) return sentTo(course, target)
  return { ...course, anchorRealMs: nowMs, anchorSimulatedMs: course.sentUntilMs, sentRealMs: nowMs }
}
