/** Observations as columns, in the order of arrival. */
export interface Observations {
  count: number
  /** The points, by their numbers (`points.number` in the database). */
  points: Int32Array
  /** Milliseconds since the epoch. */
  times: Float64Array
  /** NaN where the value is a text. */
  values: Float64Array
  /** The texts, by the index of their observation. */
  texts: Map<number, string>
  /** The source of each observation as an index into `sourceNames`, counted from 1; 0 for none. */
  sources: Uint16Array | null
  sourceNames: string[]
}

export function emptyObservations(capacity: number): Observations {
  return {
    count: 0,
    points: new Int32Array(capacity),
    times: new Float64Array(capacity),
    values: new Float64Array(capacity),
    texts: new Map(),
    sources: null,
    sourceNames: [],
  }
}

/** Removes the content and keeps the capacity. */
export function clear(columns: Observations): void {
  columns.count = 0
  columns.texts.clear()
  columns.sources = null
  columns.sourceNames = []
}

/** Doubles the capacity and keeps the content. */
export function widen(columns: Observations): void {
  const capacity = columns.points.length * 2
  const { points, times, values, sources } = columns
  columns.points = new Int32Array(capacity)
  columns.points.set(points)
  columns.times = new Float64Array(capacity)
  columns.times.set(times)
  columns.values = new Float64Array(capacity)
  columns.values.set(values)
  if (sources === null) return
  columns.sources = new Uint16Array(capacity)
  columns.sources.set(sources)
}

const BYTES_EACH = 8 + 8 + 4

/** A copy that stays valid when the next observations are read into these columns. */
export function copyOf(columns: Observations, buffer = new ArrayBuffer(columns.count * BYTES_EACH)): Observations {
  const { count, texts, sources, sourceNames } = columns
  const times = new Float64Array(buffer, 0, count)
  const values = new Float64Array(buffer, count * 8, count)
  const points = new Int32Array(buffer, count * 16, count)
  times.set(columns.times.subarray(0, count))
  values.set(columns.values.subarray(0, count))
  points.set(columns.points.subarray(0, count))
  return {
    ...{ count, points, times, values },
    texts: new Map(texts),
    sources: sources?.slice(0, count) ?? null,
    sourceNames,
  }
}

/**
 * Only copies with a number of observations in this range reuse memory. A smaller copy is allocated quickly. A larger
 * copy is rarely needed, so its memory is not kept.
 */
const [SMALLEST, LARGEST] = [512, 4096] as const
/** For each capacity, the memory of at most this many freed copies is kept. */
const FREE_COPIES = 8

/**
 * Copies of observations, in reused memory: allocating and collecting the memory takes longer than copying. Many copies
 * can wait for fault detection at once, so unused capacity is limited: a copy has room for less than twice its
 * observations.
 */
export class Copies {
  /** The memory of freed copies, by capacity, which is a power of two. */
  readonly #free = new Map<number, ArrayBuffer[]>()

  copyOf(columns: Observations): Observations {
    const { count } = columns
    if (count < SMALLEST || count > LARGEST) return copyOf(columns)
    const capacity = 2 ** Math.ceil(Math.log2(count))
    return copyOf(columns, this.#free.get(capacity)?.pop() ?? new ArrayBuffer(capacity * BYTES_EACH))
  }

  /** Call when nothing reads this copy any more. */
  free({ count, times: { buffer } }: Observations): void {
    if (count < SMALLEST || count > LARGEST) return
    const capacity = buffer.byteLength / BYTES_EACH
    const free = this.#free.get(capacity) ?? []
    if (free.length < FREE_COPIES) free.push(buffer as ArrayBuffer)
    this.#free.set(capacity, free)
  }
}

/** The text of a value, as reads return it. */
export const valueText = ({ values, texts }: Observations, i: number): string => texts.get(i) ?? String(values[i])

export const sourceOf = ({ sources, sourceNames }: Observations, i: number): string | null =>
  sources === null || sources[i] === 0 ? null : sourceNames[sources[i]! - 1]!

/** The observations of one point, from `within.from` up to, but not including, `within.to`. */
export function onlyPoint(all: Observations, point: number, within: { from: number; to: number }): Observations {
  return onlyRows(all, (i) => all.points[i] === point, within)
}

/** The observations of some points, from `within.from` up to, but not including, `within.to`. */
export function onlyPoints(
  all: Observations,
  points: ReadonlySet<number>,
  within: { from: number; to: number },
): Observations {
  return onlyRows(all, (i) => points.has(all.points[i]!), within)
}

function onlyRows(
  all: Observations,
  isWanted: (i: number) => boolean,
  { from, to }: { from: number; to: number },
): Observations {
  const places: number[] = []
  for (let i = 0; i < all.count; i++) {
    if (all.times[i]! >= from && all.times[i]! < to && isWanted(i)) places.push(i)
  }
  const texts = new Map<number, string>()
  for (const [to, from] of places.entries()) if (all.texts.has(from)) texts.set(to, all.texts.get(from)!)
  return {
    count: places.length,
    points: Int32Array.from(places, (i) => all.points[i]!),
    times: Float64Array.from(places, (i) => all.times[i]!),
    values: Float64Array.from(places, (i) => all.values[i]!),
    texts,
    sources: all.sources && Uint16Array.from(places, (i) => all.sources![i]!),
    sourceNames: all.sourceNames,
  }
}
