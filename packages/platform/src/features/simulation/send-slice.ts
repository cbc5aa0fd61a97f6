import { SIMULATION_SOURCE } from '@storey/contract'
import type { Ingest } from '../telemetry/index.ts'
import { faultyValue, type PointFault } from './apply-faults.ts'
import type { Window } from './messages.ts'

const OBSERVATIONS_A_CALL = 1000
/** The maximum number of observations between two writes of the progress, unless more of them have the same time. */
const OBSERVATIONS_A_SLICE = 10_000

/** A range of samples of a window, by index. `untilMs`: the slice has all samples up to this simulated time. */
export interface Slice {
  window: Window
  start: number
  end: number
  untilMs: number
}

/** The next samples to send: those after `afterMs` up to `upToMs`, or fewer if these are too many for a slice. */
export function nextSlice(window: Window, afterMs: number, upToMs: number): Slice {
  const { offsetsMs, dayStart } = window
  const start = indexAfter(offsetsMs, afterMs - dayStart)
  let untilMs = Math.min(upToMs, window.toMs - 1)
  if (indexAfter(offsetsMs, untilMs - dayStart) - start > OBSERVATIONS_A_SLICE) {
    const first = offsetsMs[start]!
    untilMs = dayStart + Math.max(first, offsetsMs[start + OBSERVATIONS_A_SLICE]! - 1)
  }
  return { window, start, end: indexAfter(offsetsMs, untilMs - dayStart), untilMs }
}

/** The index of the first offset greater than `offsetMs`, in an ascending column. */
function indexAfter(offsetsMs: Uint32Array, offsetMs: number): number {
  let low = 0
  let high = offsetsMs.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (offsetsMs[middle]! > offsetMs) high = middle
    else low = middle + 1
  }
  return low
}

export interface Sending {
  buildingId: string
  ingest: Ingest
  /**
   * The ids of the points to send, indexed by the number of the point in the model. Undefined for deleted points, and
   * in the automatic mode for points that a client has written to.
   */
  pointIds: readonly (string | undefined)[]
  faults: ReadonlyMap<number, readonly PointFault[]>
  timestampOf(simulatedMs: number): number
  /** True when the remaining observations are no longer needed. */
  isOver(): boolean
}

/** Sends a slice through the ingest that clients use. False: sending was aborted. */
export async function sendSlice({ window, start, end }: Slice, sending: Sending): Promise<boolean> {
  for (let from = start; from < end; from += OBSERVATIONS_A_CALL) {
    if (sending.isOver()) return false
    const observations = written(window, from, Math.min(end, from + OBSERVATIONS_A_CALL), sending)
    if (observations === '') continue
    await sending.ingest(sending.buildingId, Buffer.from(`{"observations":[${observations}]}`))
  }
  return true
}

function written(window: Window, from: number, to: number, { pointIds, faults, timestampOf }: Sending): string {
  const { dayStart, offsetsMs, points, values, words, stuckAt } = window
  const texts: string[] = []
  let lastOffset = -1
  let rest = ''
  for (let i = from; i < to; i++) {
    const isWord = points[i]! < 0
    const point = isWord ? ~points[i]! : points[i]!
    const pointId = pointIds[point]
    if (pointId === undefined) continue
    const affecting = faults.get(point)
    const value = affecting ? faultyValue(values[i]!, dayStart + offsetsMs[i]!, affecting, stuckAt) : values[i]!
    if (value === undefined) continue
    if (offsetsMs[i] !== lastOffset) {
      lastOffset = offsetsMs[i]!
      const timestamp = new Date(timestampOf(dayStart + lastOffset)).toISOString()
      rest = `","timestamp":"${timestamp}","source":"${SIMULATION_SOURCE}"}`
    }
    texts.push(`{"pointId":"${pointId}","value":"${isWord ? words[values[i]!] : value}${rest}`)
  }
  return texts.join()
}
