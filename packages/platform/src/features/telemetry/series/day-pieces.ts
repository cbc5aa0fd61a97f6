const DAY_MS = 86_400_000

interface Piece {
  first: number
  /** Unknown until it was unpacked. */
  last: number
  count: number
}

/**
 * Where the pieces of a day lie that is too dense for one window, as far as reading it has shown: so that the next window
 * does not read all of them again. Pieces that came since are not known, and are read.
 */
export class DayPieces {
  readonly #most: number
  #dayStart = Number.NaN
  readonly #pieces = new Map<number, Piece>()

  constructor(most: number) {
    this.#most = most
  }

  note(sequence: number, dayStart: number, first: number, last: number | undefined, count: number): void {
    if (dayStart !== this.#dayStart) this.#pieces.clear()
    this.#dayStart = dayStart
    const known = this.#pieces.get(sequence)?.last ?? Number.POSITIVE_INFINITY
    this.#pieces.set(sequence, { first, last: last ?? known, count })
  }

  /** Up to where a window that begins at `from` can be read. */
  limitOf(from: number): number {
    if (!this.#covers(from)) return Number.POSITIVE_INFINITY
    let sum = 0
    for (const { first, last, count } of [...this.#pieces.values()].sort((a, b) => a.first - b.first)) {
      if (last < from) continue
      sum += count
      if (sum > 2 * this.#most && first > from) return first
    }
    return Number.POSITIVE_INFINITY
  }

  /** Pieces without an observation from `from` up to, not including, `to`. */
  outside(from: number, to: number): number[] {
    if (!this.#covers(from)) return []
    return [...this.#pieces].filter(([, { first, last }]) => last < from || first >= to).map(([sequence]) => sequence)
  }

  #covers(instant: number): boolean {
    return instant >= this.#dayStart && instant < this.#dayStart + DAY_MS
  }
}
