import type { SimulationOrder } from '@storey/contract'

/** How the time of a building runs, and how far it was told. All in milliseconds since the epoch. */
export interface Course {
  running: boolean
  speed: number
  startedMs: number | null
  /** At this real instant it was that instant in the building; from there on time runs at `speed`. */
  anchorRealMs: number
  anchorSimulatedMs: number
  /** Everything up to here was sent, and the last of it bore the real time `sentRealMs`. */
  sentUntilMs: number
  sentRealMs: number
}

/** What nobody recorded while no process ran is made up for as far as this, at the pace of the clock. */
const MOST_BEHIND_MS = 6 * 3_600_000
/** At any other pace, in real time. */
const MOST_BEHIND_REAL_MS = 10_000

/** Clocks of two processes may differ by so much. */
const MAX_AHEAD_MS = 60_000

export function simulatedAt({ running, speed, anchorRealMs, anchorSimulatedMs }: Course, realMs: number): number {
  if (!running) return anchorSimulatedMs
  return anchorSimulatedMs + Math.floor(Math.max(0, realMs - anchorRealMs) * speed)
}

/**
 * The real time that an instant bears which was not sent yet. Before the anchor it lies between the last one sent and
 * the anchor: that is the pace there was before the order that set the anchor.
 */
export function stampOf(course: Course, simulatedMs: number): number {
  const { speed, anchorRealMs, anchorSimulatedMs, sentUntilMs, sentRealMs } = course
  if (simulatedMs >= anchorSimulatedMs) return anchorRealMs + Math.floor((simulatedMs - anchorSimulatedMs) / speed)
  const part = (simulatedMs - sentUntilMs) / (anchorSimulatedMs - sentUntilMs)
  return sentRealMs + Math.floor(part * (anchorRealMs - sentRealMs))
}

/** Everything up to an instant has been sent. */
export const sentTo = (course: Course, simulatedMs: number): Course => ({
  ...course,
  sentUntilMs: simulatedMs,
  sentRealMs: stampOf(course, simulatedMs),
})

/**
 * The course after an order; the same object when the order changes nothing. Time never runs backwards, so that meters
 * only rise: a building that ran ahead of the clock goes on from where it stood, any other from the present.
 */
export function ordered(before: Course | undefined, order: SimulationOrder, nowMs: number): Course {
  const course = before ?? standing(nowMs)
  const { running = course.running, speed = course.speed } = order
  if (before && running === course.running && speed === course.speed) return course
  const here = simulatedAt(course, nowMs)
  if (course.running) {
    const startedMs = running ? course.startedMs : null
    return { ...course, running, speed, startedMs, anchorRealMs: nowMs, anchorSimulatedMs: here }
  }
  if (!running) return { ...course, speed }
  const from = Math.max(here, nowMs)
  return { ...standing(nowMs), running, speed, startedMs: nowMs, anchorSimulatedMs: from, sentUntilMs: from }
}

const standing = (nowMs: number): Course => ({
  running: false,
  speed: 1,
  startedMs: null,
  anchorRealMs: nowMs,
  anchorSimulatedMs: nowMs,
  sentUntilMs: nowMs,
  sentRealMs: nowMs,
})

/**
 * A course of which nothing was sent, or begun, at a moment that is yet to come; the same object when it is so. Where a
 * clock was ahead and has been put back, the building goes on from where it stood, rather than waiting for that moment.
 */
function notAhead(course: Course, nowMs: number): Course {
  const { running, anchorRealMs, anchorSimulatedMs, sentUntilMs, sentRealMs } = course
  if (!running || Math.max(anchorRealMs, sentRealMs) <= nowMs + MAX_AHEAD_MS) return course
  return {
    ...course,
    ...{ anchorRealMs: nowMs, sentRealMs: nowMs },
    anchorSimulatedMs: Math.max(anchorSimulatedMs, sentUntilMs),
  }
}

/**
 * A course that is not too far behind, nor ahead; the same object when it is not. At the pace of the clock the time that nobody
 * recorded is left out. A faster building has no such bond with the clock: its time stood still meanwhile, so one that
 * is too large for its pace lives more slowly, and leaves nothing out.
 */
export function withinReach(stored: Course, nowMs: number): Course {
  const course = notAhead(stored, nowMs)
  const { running, speed } = course
  const target = simulatedAt(course, nowMs)
  if (target - course.sentUntilMs <= (speed === 1 ? MOST_BEHIND_MS : speed * MOST_BEHIND_REAL_MS)) return course
  if (!running || speed === 1) return sentTo(course, target)
  return { ...course, anchorRealMs: nowMs, anchorSimulatedMs: course.sentUntilMs, sentRealMs: nowMs }
}
