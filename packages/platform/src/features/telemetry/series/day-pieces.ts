const DAY_MS = 86_400_000

/** A row of `observation_chunks`: some of the observations of a point and a day. */
interface Piece {
  /** The time of the first observation. */
  first: number
  /** The time of the last observation; infinity as long as the piece has not been unpacked. */
  last: number
  count: number
}

/**
 * Remembers the time ranges of the pieces of a day that has too many observations for one window. (A series is read in
 * windows: consecutive time ranges with a limited number of observations.) The next window then reads only the pieces
 * that it needs. The range of a piece is known once the piece has been unpacked. A piece with an unknown range is
 * always read.
 */
export class DayPieces {
  readonly #max: number
  #dayStart = Number.NaN
  readonly #pieces = new Map<number, Piece>()

  constructor(max: number) {
    this.#max = max
  }

  note(sequence: number, dayStart: number, first: number, last: number | undefined, count: number): void {
    if (dayStart !== this.#dayStart) this.#pieces.clear()
    this.#dayStart = dayStart
    const known = this.#pieces.get(sequence)?.last ?? Number.POSITIVE_INFINITY
    this.#pieces.set(sequence, { first, last: last ?? known, count })
  }

  /** The latest end of a window that begins at `from`. */
  limitOf(from: number): number {
    if (!this.#covers(from)) return Number.POSITIVE_INFINITY
    let sum = 0
    for (const { first, last, count } of [...this.#pieces.values()].sort((a, b) => a.first - b.first)) {
      if (last < from) continue
      sum += count
      if (sum > 2 * this.#max && first > from) return first
    }
    return Number.POSITIVE_INFINITY
  }

  /** The sequence numbers of pieces without an observation from `from` up to, not including, `to`. */
  outside(from: number, to: number): number[] {
    if (!this.#covers(from)) return []
    return [...this.#pieces].filter(([, { first, last }]) => last < from || first >= to).map(([sequence]) => sequence)
  }

  #covers(instant: number): boolean {
    return instant >= this.#dayStart && instant < this.#dayStart + DAY_MS
  }
}
