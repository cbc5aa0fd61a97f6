import type { SimulationCommand } from '@storey/contract'

/** An upper estimate of the mean number of observations per point and hour, for buildings of any type and density. */
export const SAMPLES_A_POINT_AND_HOUR = 8

/** How simulated time runs, and up to which time observations were sent. Times are milliseconds since the epoch. */
export interface SimulationState {
  running: boolean
  /**
   * Whether no command was sent yet. Without a command, the simulation runs while people follow the building (they have
   * its console open), and pauses when they have left.
   */
  automatic: boolean
  speed: number
  startedMs: number | null
  /**
   * At the real time `anchorRealMs`, the simulated time is `anchorSimulatedMs`. From then on, simulated time runs at
   * `speed`.
   */
  anchorRealMs: number
  anchorSimulatedMs: number
  /** Everything up to this simulated time was sent. `sentRealMs` is the real timestamp of this simulated time. */
  sentUntilMs: number
  sentRealMs: number
}

/**
 * How far a simulation at speed 1 may be behind after a time in which no process ran it. If it is further behind, all
 * missed time is skipped.
 */
const MAX_LAG_MS = 6 * 3_600_000
/** After a pause, an automatic simulation sends the missed values of at most this much time. */
const MAX_CATCH_UP_MS = 24 * 3_600_000
/** How far an automatic simulation may be behind while it sends missed values. */
const MAX_AUTOMATIC_LAG_MS = MAX_CATCH_UP_MS + MAX_LAG_MS
/**
 * The approximate maximum number of missed values that an automatic simulation sends. It is enough for a day of a
 * thousand points, and sending that day takes about ten seconds.
 */
const MAX_CATCH_UP_OBSERVATIONS = 200_000
/**
 * How far a simulation at a speed other than 1 may be behind, in real time. If it is further behind, it continues from
 * the last sent time.
 */
const MAX_LAG_REAL_MS = 10_000

/** The tolerated difference between the clocks of two processes. */
const MAX_LEAD_MS = 60_000

export function simulatedAt(
  { running, speed, anchorRealMs, anchorSimulatedMs }: SimulationState,
  realMs: number,
): number {
  if (!running) return anchorSimulatedMs
  return anchorSimulatedMs + Math.floor(Math.max(0, realMs - anchorRealMs) * speed)
}

/**
 * The real timestamp of a simulated instant that was not sent yet. Before the anchor, the timestamp is interpolated
 * between the last sent timestamp and the anchor. So the speed from before a command still applies to the time before
 * the command.
 */
export function timestampOf(state: SimulationState, simulatedMs: number): number {
  const { speed, anchorRealMs, anchorSimulatedMs, sentUntilMs, sentRealMs } = state
  if (simulatedMs >= anchorSimulatedMs) return anchorRealMs + Math.floor((simulatedMs - anchorSimulatedMs) / speed)
  const part = (simulatedMs - sentUntilMs) / (anchorSimulatedMs - sentUntilMs)
  return sentRealMs + Math.floor(part * (anchorRealMs - sentRealMs))
}

/** Marks everything up to an instant as sent. */
export const markSent = (state: SimulationState, simulatedMs: number): SimulationState => ({
  ...state,
  sentUntilMs: simulatedMs,
  sentRealMs: timestampOf(state, simulatedMs),
})

/**
 * The state after a command, which ends the automatic mode; the same object if nothing changes. Simulated time never
 * runs backwards, so that meters only rise: when a stopped simulation starts again, it continues from its simulated
 * time if that is ahead of the clock, and otherwise from the current time.
 */
export function afterCommand(
  before: SimulationState | undefined,
  command: SimulationCommand,
  nowMs: number,
): SimulationState {
  const state = before ? { ...before, automatic: false } : stoppedAt(nowMs)
  const { running = state.running, speed = state.speed } = command
  if (before && running === state.running && speed === state.speed) return before.automatic ? state : before
  const here = simulatedAt(state, nowMs)
  if (state.running) {
    const startedMs = running ? state.startedMs : null
    return { ...state, running, speed, startedMs, anchorRealMs: nowMs, anchorSimulatedMs: here }
  }
  if (!running) return { ...state, speed }
  const from = Math.max(here, nowMs)
  return { ...stoppedAt(nowMs), running, speed, startedMs: nowMs, anchorSimulatedMs: from, sentUntilMs: from }
}

/**
 * The state when somebody begins to follow the building; undefined if nothing changes. The simulation continues where
 * the observations of the building end. If it would have to catch up on too much time, it skips the oldest part.
 */
export function afterArrival(
  before: SimulationState | undefined,
  { historyEndMs, points }: { historyEndMs: number; points: number },
  nowMs: number,
): SimulationState | undefined {
  if (before && (before.running || !before.automatic)) return undefined
  const from = Math.max(before?.sentUntilMs ?? historyEndMs, nowMs - catchUpMs(points))
  const at = { ...stoppedAt(Math.min(from, nowMs)), anchorSimulatedMs: from, sentUntilMs: from }
  return { ...at, running: true, automatic: true, startedMs: nowMs }
}

function catchUpMs(points: number): number {
  const hours = MAX_CATCH_UP_OBSERVATIONS / (points * SAMPLES_A_POINT_AND_HOUR)
  return Math.min(MAX_CATCH_UP_MS, Math.floor(hours * 3_600_000))
}

/** The state when nobody follows the building any more; undefined if nothing changes. */
export function afterDeparture(before: SimulationState, nowMs: number): SimulationState | undefined {
  if (!before.running || !before.automatic) return undefined
  const here = simulatedAt(before, nowMs)
  return { ...before, running: false, startedMs: null, anchorRealMs: nowMs, anchorSimulatedMs: here }
}

const stoppedAt = (nowMs: number): SimulationState => ({
  running: false,
  automatic: false,
  speed: 1,
  startedMs: null,
  anchorRealMs: nowMs,
  anchorSimulatedMs: nowMs,
  sentUntilMs: nowMs,
  sentRealMs: nowMs,
})

/**
 * Corrects the state of a running simulation that has times more than `MAX_LEAD_MS` in the future. Returns the same
 * object if there is nothing to correct. If a clock was ahead and has been set back, the simulation continues
 * immediately instead of waiting until the clock reaches those times.
 */
function limitLead(state: SimulationState, nowMs: number): SimulationState {
  const { running, anchorRealMs, anchorSimulatedMs, sentUntilMs, sentRealMs } = state
  if (!running || Math.max(anchorRealMs, sentRealMs) <= nowMs + MAX_LEAD_MS) return state
  return {
    ...state,
    ...{ anchorRealMs: nowMs, sentRealMs: nowMs },
    anchorSimulatedMs: Math.max(anchorSimulatedMs, sentUntilMs),
  }
}

/**
 * Limits how far a state is behind or ahead; returns the same object if it is within the limits. At speed 1, and after
 * a stop at any speed, the missed time is skipped. A simulation that runs at another speed continues from the last sent
 * time: if the building is too large for that speed, the simulation runs more slowly, and skips nothing.
 */
export function limitLag(stored: SimulationState, nowMs: number): SimulationState {
  const state = limitLead(stored, nowMs)
  const { running, speed } = state
  const target = simulatedAt(state, nowMs)
  if (target - state.sentUntilMs <= maxLagMs(state)) return state
  if (!running || speed === 1) return markSent(state, target)
  return { ...state, anchorRealMs: nowMs, anchorSimulatedMs: state.sentUntilMs, sentRealMs: nowMs }
}

function maxLagMs({ automatic, speed }: SimulationState): number {
  if (automatic) return MAX_AUTOMATIC_LAG_MS
  return speed === 1 ? MAX_LAG_MS : speed * MAX_LAG_REAL_MS
}
