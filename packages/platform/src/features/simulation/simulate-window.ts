import { DAY_MS, type InjectedFault, STEP_MS, simulate, type TelemetryModel } from '@storey/building'
import type { StuckDamper, Window } from './messages.ts'

/** The assumed position of a damper without samples, in percent. */
const HALF_OPEN = 50

/** A model, and how long after its step each point sends a sample. */
export interface DelayedModel {
  model: TelemetryModel
  delays: Uint32Array
}

/**
 * The samples of a span within one UTC day. The day is always simulated from its start, after the same warm-up, so that
 * an instant has the same value in every process and at any time of computation.
 */
export function simulateWindow(
  { model, delays }: DelayedModel,
  fromMs: number,
  toMs: number,
  stuck: readonly StuckDamper[],
  stuckAt: Map<string, number>,
): Window {
  const faults = stuckFaults({ model, delays }, stuck, stuckAt)
  const words: string[] = []
  const wordNumbers = new Map<string, number>()
  const numberOf = (word: string) => {
    const number = wordNumbers.get(word) ?? words.push(word) - 1
    wordNumbers.set(word, number)
    return number
  }
  const dayStart = Math.floor(fromMs / DAY_MS) * DAY_MS
  const [low, high] = [fromMs - dayStart, toMs - dayStart]
  // Samples of the step before may be sent within the span.
  const simulatedFrom = Math.max(dayStart, fromMs - STEP_MS)
  let count = 0
  for (const { series } of simulate(model, new Date(simulatedFrom), new Date(toMs), faults)) {
    for (const { pointIndex, offsetsMs, values, texts } of series) {
      while (count + values.length > scratch.points.length) scratch = widened(scratch)
      for (let i = 0; i < values.length; i++) {
        const offset = offsetsMs[i]! + delays[pointIndex]!
        if (offset < low || offset >= high) continue
        scratch.offsetsMs[count] = offset
        scratch.values[count] = texts ? numberOf(texts[i]!) : values[i]!
        scratch.points[count] = texts ? ~pointIndex : pointIndex
        count++
      }
    }
  }
  return { dayStart, fromMs, toMs, ...inOrder(scratch, count), words, stuckAt }
}

type Columns = Pick<Window, 'offsetsMs' | 'points' | 'values'>

const createColumns = (length: number): Columns => ({
  offsetsMs: new Uint32Array(length),
  points: new Int32Array(length),
  values: new Float64Array(length),
})

/** A buffer that is reused, since the result is a sorted copy. */
let scratch = createColumns(1 << 14)

function widened(columns: Columns): Columns {
  const wide = createColumns(columns.points.length * 2)
  wide.offsetsMs.set(columns.offsetsMs)
  wide.points.set(columns.points)
  wide.values.set(columns.values)
  return wide
}

/** Sorted by time, then in the order of the model. */
function inOrder(columns: Columns, count: number): Columns {
  const keys = new Float64Array(count)
  // Offset and index together are below 2^53, so they can be sorted as numbers.
  for (let i = 0; i < count; i++) keys[i] = columns.offsetsMs[i]! * count + i
  keys.sort()
  const sorted = createColumns(count)
  for (let i = 0; i < count; i++) {
    const from = keys[i]! % count
    sorted.offsetsMs[i] = columns.offsetsMs[from]!
    sorted.points[i] = columns.points[from]!
    sorted.values[i] = columns.values[from]!
  }
  return sorted
}

/** A damper keeps its position at the start of the fault, even if another fault is active then. */
function stuckFaults(
  delayed: DelayedModel,
  stuck: readonly StuckDamper[],
  stuckAt: Map<string, number>,
): InjectedFault[] {
  const faults: InjectedFault[] = []
  for (const { faultId, point, startMs, endMs } of stuck) {
    const at = stuckAt.get(faultId) ?? positionAt(delayed, point, startMs, faults)
    stuckAt.set(faultId, at)
    const { key: pointKey, elementKey } = delayed.model.building.points[point]!
    const kind = 'stuck-damper' as const
    faults.push({ id: faultId, kind, pointIndex: point, pointKey, elementKey, startMs, endMs, amount: at / 100 })
  }
  return faults
}

/** The last position that was sent until then. */
function positionAt(
  { model, delays }: DelayedModel,
  point: number,
  atMs: number,
  faults: readonly InjectedFault[],
): number {
  const sampledMs = atMs - delays[point]!
  let position = HALF_OPEN
  for (const { series } of simulate(model, new Date(sampledMs - STEP_MS), new Date(sampledMs + 1), faults)) {
    for (const { pointIndex, values } of series) if (pointIndex === point) position = values.at(-1)!
  }
  return position
}
