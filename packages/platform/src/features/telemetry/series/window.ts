import {
  between,
  joined,
  onlyNumbers,
  overlay,
  rowsOf,
  type Series,
  type StoredChunk,
  startOf,
  type TakeArrays,
  unpack,
} from './series.ts'

export interface WindowBounds {
  /** Included. */
  from: number
  /** Not included. */
  to: number
  /**
   * A window with more than twice this many observations keeps the first `max`. The next window has the remaining
   * observations.
   */
  max: number
}

/**
 * The first observations of a range of any size. They are added in pieces: chunks, and the observations of one day from
 * batches that are not folded yet. If two pieces have an observation at the same instant, that of the piece that was
 * added later is kept. Whenever there are too many observations, the window ends earlier.
 */
export class SeriesWindow {
  readonly #from: number
  readonly #max: number
  readonly #take: TakeArrays | undefined
  #to: number
  /** In ascending order of time, without overlaps. */
  #parts: Series[] = []
  #count = 0

  /** `take` returns the arrays into which chunks are unpacked. */
  constructor({ from, to, max }: WindowBounds, take?: TakeArrays) {
    this.#from = from
    this.#to = to
    this.#max = max
    this.#take = take
  }

  /** The end of the window, not included. The window has all observations of the range before this instant. */
  get to(): number {
    return this.#to
  }

  /** Adds a piece. Returns the time of its last observation, if the piece had to be unpacked. */
  add(chunk: StoredChunk): number | undefined {
    if (startOf(chunk) >= this.#to) return undefined
    const whole = unpack(chunk, this.#take)
    const piece = between(whole, this.#from, this.#to)
    if (piece.times.length > 0) this.#put(piece)
    return whole.times.at(-1)
  }

  /** Ends the window at this instant, if the window ends later. The next window has the remaining observations. */
  endBy(instant: number): void {
    if (instant >= this.#to) return
    this.#to = instant
    this.#parts = this.#parts.map((part) => between(part, this.#from, instant)).filter(({ times }) => times.length > 0)
    this.#count = this.#parts.reduce((sum, { times }) => sum + times.length, 0)
  }

  series(): Series {
    return onlyNumbers(joined(this.#parts))
  }

  #put(piece: Series): void {
    const first = piece.times[0]!
    let behind = this.#parts.length
    while (behind > 0 && this.#parts[behind - 1]!.times.at(-1)! >= first) behind--
    const met = this.#parts.splice(behind)
    const put = met.length === 0 ? piece : overlay(joined(met), piece)
    for (const { times } of met) this.#count -= times.length
    this.#count += put.times.length
    this.#parts.push(put)
    if (this.#count > 2 * this.#max) this.#shorten()
  }

  #shorten(): void {
    const kept: Series[] = []
    let left = this.#max
    for (const part of this.#parts) {
      const { length } = part.times
      if (length > left) {
        this.#to = part.times[left]!
        // The beginning is copied, so that the memory of the whole part can be freed.
        if (left > 0) kept.push(copyOf(rowsOf(part, 0, left)))
        break
      }
      kept.push(part)
      left -= length
    }
    this.#parts = kept
    this.#count = this.#max
  }
}

function copyOf({ times, values, sources = null }: Series): Series {
  return { times: times.slice(), values: values.slice(), sources }
}
