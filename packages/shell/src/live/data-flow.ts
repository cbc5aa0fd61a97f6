import { SIMULATION_SOURCE } from '@storey/contract'

/** Data flows while the last value is not older than this. Many sensors send a value every five minutes. */
export const FLOWING_MS = 360_000

/** When the last values arrived, in milliseconds since the epoch; undefined if none has arrived. */
export interface ArrivalTimes {
  /**
   * The last value from any source. A value that was read and did not arrive live counts as arrived when it was
   * measured.
   */
  at: number | undefined
  /** The last value from a source other than the simulation, such as a device, since the page was opened. */
  fromOthersAt: number | undefined
}

export interface ArrivalTimesStore {
  get(): ArrivalTimes
  /**
   * Call this for a value that was read and did not arrive live. It may be from the history that seeding has
   * generated, so `fromOthersAt` does not change.
   */
  noteRead(measuredAt: number): void
  noteArrived(observations: readonly { source: string | null }[]): void
  /** Values arrive many times a second: the listener is called only when data begins to flow. */
  subscribe(listener: () => void): () => void
}

export function createArrivalTimes(now: () => number = Date.now): ArrivalTimesStore {
  const listeners = new Set<() => void>()
  let last: ArrivalTimes = { at: undefined, fromOthersAt: undefined }

  function note(at: number, fromOthersAt: number | undefined): void {
    const before = last
    last = {
      at: Math.max(at, before.at ?? at),
      fromOthersAt: fromOthersAt ?? before.fromOthersAt,
    }
    const begins = (was: number | undefined, is: number | undefined) =>
      is !== undefined && (was === undefined || is - was > FLOWING_MS)
    if (begins(before.at, last.at) || begins(before.fromOthersAt, last.fromOthersAt)) {
      for (const listener of listeners) listener()
    }
  }

  return {
    get: () => last,
    noteRead: (measuredAt) => note(Math.min(measuredAt, now()), undefined),
    noteArrived(observations) {
      const at = now()
      note(at, observations.some(({ source }) => source !== SIMULATION_SOURCE) ? at : undefined)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export type Flow = 'flowing' | 'stopped' | 'idle'

/**
 * `flowing`: values arrive, from the simulation or another source. `stopped`: the simulation is stopped, and no other
 * source sends values. `idle`: no values arrive, and the simulation runs, will start because the page is open, or has
 * an unknown state.
 */
export function flowOf(
  { at, fromOthersAt }: ArrivalTimes,
  now: number,
  simulation: { running: boolean; automatic: boolean } | undefined,
): Flow {
  const isRecent = (time: number | undefined) => time !== undefined && now - time <= FLOWING_MS
  if (!simulation || simulation.running) return isRecent(at) ? 'flowing' : 'idle'
  return isRecent(fromOthersAt) ? 'flowing' : simulation.automatic ? 'idle' : 'stopped'
}
