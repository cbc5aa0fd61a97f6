import { joined, type Series } from './series.ts'

/** The maximum number of rows in memory. */
const MAX_KEPT = 400_000

export interface Sampled {
  /** The chosen rows. */
  series: Series
  /** The number of rows from which they were chosen. */
  sampledFrom: number
}

/**
 * Selects at most `max` rows (3 or more), so that a line through them looks like the line through all rows, with the
 * algorithm Largest Triangle Three Buckets (Steinarsson 2013). The first and the last row are kept. From each part in
 * between it selects the row that forms the largest triangle with the previously selected row and the mean of the next
 * part. If there are too many rows to keep in memory, they are read three times: to count them, to compute the mean of
 * each part, and to select.
 */
export async function sample(
  read: () => AsyncIterable<Series>,
  max: number,
  maxKept = Math.max(max, MAX_KEPT),
): Promise<Sampled> {
  let kept: Series[] = []
  let count = 0
  for await (const window of read()) {
    count += window.times.length
    if (count <= maxKept) kept.push(window)
    else kept = []
  }
  if (count <= max) return { series: joined(kept), sampledFrom: count }
  const rows = () => (count <= maxKept ? kept : read())
  const centres = new Centres(max)
  const first = new Parts(count, max)
  for await (const window of rows()) first.split(window, (part, from, to) => centres.add(part, window, from, to))
  const choice = new Choice(max, centres)
  const second = new Parts(count, max)
  for await (const window of rows()) second.split(window, (part, from, to) => choice.add(part, window, from, to))
  return { series: choice.end(), sampledFrom: count }
}

/** Which rows belong to which part: the first row is part 0, and the last row is part `max - 1`. */
class Parts {
  readonly #last: number
  readonly #size: number
  #part = 0
  #row = 0

  constructor(count: number, max: number) {
    this.#last = max - 1
    this.#size = (count - 2) / (max - 2)
  }

  /** Rows that were added after the count belong to the last part. */
  split({ times }: Series, each: (part: number, from: number, to: number) => void): void {
    for (let from = 0; from < times.length; ) {
      while (this.#part < this.#last && this.#row >= this.#endOf(this.#part)) this.#part++
      const left = this.#part < this.#last ? this.#endOf(this.#part) - this.#row : Number.POSITIVE_INFINITY
      const to = Math.min(times.length, from + left)
      each(this.#part, from, to)
      this.#row += to - from
      from = to
    }
  }

  #endOf(part: number): number {
    return Math.floor(part * this.#size) + 1
  }
}

/** The mean time and value of each part. */
class Centres {
  readonly #counts: Float64Array
  /** The first time of each part. Times are summed as distances from it: the sum of many instants would be rounded. */
  readonly #origins: Float64Array
  readonly #times: Float64Array
  readonly #values: Float64Array

  constructor(max: number) {
    this.#counts = new Float64Array(max)
    this.#origins = new Float64Array(max)
    this.#times = new Float64Array(max)
    this.#values = new Float64Array(max)
  }

  add(part: number, { times, values }: Series, from: number, to: number): void {
    if (this.#counts[part] === 0) this.#origins[part] = times[from]!
    const origin = this.#origins[part]!
    let [time, value] = [this.#times[part]!, this.#values[part]!]
    for (let i = from; i < to; i++) {
      time += times[i]! - origin
      value += values[i]!
    }
    this.#times[part] = time
    this.#values[part] = value
    this.#counts[part]! += to - from
  }

  of(part: number): [time: number, value: number] {
    const count = this.#counts[part]!
    return [this.#origins[part]! + this.#times[part]! / count, this.#values[part]! / count]
  }
}

/**
 * Chooses from each part the row that forms the largest triangle with the previously chosen row and the centre of the
 * next part.
 */
class Choice {
  readonly #times: Float64Array
  readonly #values: Float64Array
  readonly #sources: (string | null)[] = []
  readonly #centres: Centres
  readonly #max: number
  #part = -1
  #largest = -1

  constructor(max: number, centres: Centres) {
    this.#max = max
    this.#times = new Float64Array(max)
    this.#values = new Float64Array(max)
    this.#centres = centres
  }

  add(part: number, series: Series, from: number, to: number): void {
    if (part !== this.#part) {
      this.#part = part
      this.#largest = -1
      this.#choose(series, from)
    }
    if (part === this.#max - 1) this.#choose(series, to - 1)
    else if (part > 0) this.#farthest(series, from, to)
  }

  end(): Series {
    const count = this.#part + 1
    return { times: this.#times.subarray(0, count), values: this.#values.subarray(0, count), sources: this.#sources }
  }

  #choose({ times, values, sources }: Series, row: number): void {
    this.#times[this.#part] = times[row]!
    this.#values[this.#part] = values[row]!
    this.#sources[this.#part] = sources?.[row] ?? null
  }

  #farthest(series: Series, from: number, to: number): void {
    const { times, values } = series
    const [timeBefore, before] = [this.#times[this.#part - 1]!, this.#values[this.#part - 1]!]
    const [time, value] = this.#centres.of(this.#part + 1)
    const across = time - timeBefore
    const up = value - before
    let largest = this.#largest
    let found = -1
    for (let i = from; i < to; i++) {
      const area = Math.abs(across * (values[i]! - before) - (times[i]! - timeBefore) * up)
      if (area > largest) {
        largest = area
        found = i
      }
    }
    this.#largest = largest
    if (found >= 0) this.#choose(series, found)
  }
}
