import type { Series } from './series.ts'

/**
 * The rows to draw, at most `most` (3 or more), so that a line through them looks like the line through all: largest
 * triangle three buckets (Steinarsson 2013). The first and the last are kept; of each part between, the row that spans
 * the largest triangle with the row chosen before it and the mean of the part after it.
 */
export function chooseRows({ times, values }: Series, most: number): Uint32Array {
  const count = times.length
  if (count <= most) return Uint32Array.from({ length: count }, (_, i) => i)
  const rows = new Uint32Array(most)
  const size = (count - 2) / (most - 2)
  const startOf = (part: number) => Math.floor(part * size) + 1
  let chosen = 0
  for (let part = 0; part < most - 2; part++) {
    const end = startOf(part + 1)
    const [time, value] = centre(times, values, end, Math.min(startOf(part + 2), count))
    chosen = farthest(times, values, startOf(part), end, chosen, time, value)
    rows[part + 1] = chosen
  }
  rows[most - 1] = count - 1
  return rows
}

function centre(times: Float64Array, values: Float64Array, from: number, to: number): [time: number, value: number] {
  // Times are added as distances: the sum of a million instants would be rounded.
  const origin = times[from]!
  let time = 0
  let value = 0
  for (let i = from; i < to; i++) {
    time += times[i]! - origin
    value += values[i]!
  }
  return [origin + time / (to - from), value / (to - from)]
}

/** The row of a part that spans the largest triangle with a row before it and a place after it. */
function farthest(
  times: Float64Array,
  values: Float64Array,
  from: number,
  to: number,
  before: number,
  time: number,
  value: number,
): number {
  const across = time - times[before]!
  const up = value - values[before]!
  let found = from
  let largest = -1
  for (let i = from; i < to; i++) {
    const area = Math.abs(across * (values[i]! - values[before]!) - (times[i]! - times[before]!) * up)
    if (area > largest) {
      largest = area
      found = i
    }
  }
  return found
}
