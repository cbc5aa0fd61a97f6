import type { Observations } from '../../telemetry/index.ts'

/** Sorts a batch by time, since a request may have its observations in any order. */
export function inOrderOfTime(batch: Observations): Observations {
  const { count, points, times, values, texts } = batch
  let isAscending = true
  for (let i = 1; i < count && isAscending; i++) isAscending = times[i]! >= times[i - 1]!
  if (isAscending) return batch
  const order = new Uint32Array(count)
  for (let i = 0; i < count; i++) order[i] = i
  order.sort((a, b) => times[a]! - times[b]! || a - b)
  const ordered: Observations = {
    ...batch,
    points: new Int32Array(count),
    times: new Float64Array(count),
    values: new Float64Array(count),
    texts: new Map(),
  }
  for (let i = 0; i < count; i++) {
    const from = order[i]!
    ordered.points[i] = points[from]!
    ordered.times[i] = times[from]!
    ordered.values[i] = values[from]!
    if (texts.has(from)) ordered.texts.set(i, texts.get(from)!)
  }
  return ordered
}
