import { DAY_MS, type InjectedFault, STEP_MS, simulate, type TelemetryModel } from '@storey/building'
import type { StuckDamper, Window } from './messages.ts'
import { type Columns, createColumns, freeColumns, inOrder, widened } from './window-columns.ts'

/** The assumed position of a damper without samples, in percent. */
const HALF_OPEN = 50

/** A model, and how long after the start of a step each point sends its sample. */
export interface DelayedModel {
  model: TelemetryModel
  delays: Uint32Array
}

/**
 * Computes the samples of a window within one UTC day. The day is always simulated from its start, after the same
 * warm-up, so that the value of an instant is the same in every process and in every computation.
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
  // Samples of the previous step may be sent within the window.
  const simulatedFrom = Math.max(dayStart, fromMs - STEP_MS)
  let columns: Columns = createColumns(1 << 14)
  let count = 0
  for (const { series } of simulate(model, new Date(simulatedFrom), new Date(toMs), faults)) {
    for (const { pointIndex, offsetsMs, values, texts } of series) {
      if (count + values.length > columns.points.length) columns = widened(columns, count + values.length)
      for (let i = 0; i < values.length; i++) {
        const offset = offsetsMs[i]! + delays[pointIndex]!
        if (offset < low || offset >= high) continue
        columns.offsetsMs[count] = offset
        columns.values[count] = texts ? numberOf(texts[i]!) : values[i]!
        columns.points[count] = texts ? ~pointIndex : pointIndex
        count++
      }
    }
  }
  const sorted = inOrder(columns, count)
  freeColumns(columns)
  return { dayStart, fromMs, toMs, ...sorted, words, stuckAt }
}

/** A damper keeps the position that it had when the fault began, even if another fault was active at that time. */
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

/** The last position that the damper sent at or before `atMs`. */
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
