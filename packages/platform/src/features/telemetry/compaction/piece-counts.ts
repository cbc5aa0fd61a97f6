import type { Tx } from '@storey/kit/database'
import { countSimilar, SIMILAR_PIECES } from './choose-pieces.ts'
import { listMergeable, type PointDay } from './compaction.store.ts'

/** The maximum number of counts, one for each day of each point. Above it, all counts are dropped. */
const MAX_DAYS = 500_000

/**
 * After a fold, at most this share of the days that have enough pieces is merged, or `MIN_MERGED` days if that is more.
 */
const MERGED_SHARE = 1 / 4
const MIN_MERGED = 200

/**
 * For each day of a point, how many of its last pieces (rows of `observation_chunks`) have a similar size
 * (`choose-pieces.ts`). The counts are kept, so that the pieces need not be counted at every folding. A count may be
 * wrong after a failed transaction, or if another process folds too. Days are then merged earlier or later than usual.
 */
export class PieceCounts {
  readonly #pieces = new Map<number, number>()

  set(day: PointDay, pieces: number): void {
    this.#pieces.set(keyOf(day), pieces)
  }

  /**
   * Adds a piece to each of these days. Returns the days to merge now: those with enough pieces by these counts, or a
   * part of them if they are many. Under a steady load the days of all points get their pieces at the same time:
   * if all were merged after the same fold, the next fold would wait for seconds.
   */
  async add<T extends PointDay>(tx: Tx, days: readonly T[]): Promise<PointDay[]> {
    if (this.#pieces.size > MAX_DAYS) this.#pieces.clear()
    const unseen = days.filter((day) => !this.#pieces.has(keyOf(day)))
    if (unseen.length > 0) {
      // The new piece is already in the database. It is subtracted here, because the loop below adds it.
      for (const found of await listMergeable(tx, unseen)) this.set(found, countSimilar(found.counts) - 1)
    }
    const crowded: (PointDay & { pieces: number })[] = []
    for (const day of days) {
      const key = keyOf(day)
      const pieces = (this.#pieces.get(key) ?? 0) + 1
      this.#pieces.set(key, pieces)
      if (pieces >= SIMILAR_PIECES) crowded.push({ point: day.point, day: day.day, pieces })
    }
    crowded.sort((a, b) => b.pieces - a.pieces)
    return crowded
      .slice(0, Math.max(MIN_MERGED, Math.ceil(crowded.length * MERGED_SHARE)))
      .map(({ point, day }) => ({ point, day }))
  }
}

/** The number of a point has 31 bits, and a day, before or after the epoch, has 22, so the key is an exact integer. */
export const keyOf = ({ point, day }: PointDay): number => day * 2 ** 31 + point
