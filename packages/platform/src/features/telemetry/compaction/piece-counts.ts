import type { Tx } from '@storey/kit/database'
import { countInPieces, type PointDay } from './compaction.store.ts'

/** Days that are remembered; when there are more, all are forgotten and counted anew. */
const MOST_DAYS = 500_000

/**
 * In how many pieces the days of points lie, so that they need not be counted at every folding. A count may be off
 * after a transaction that failed, or where another process folds too: then days are put together sooner or later.
 */
export class PieceCounts {
  readonly #pieces = new Map<number, number>()

  /** Notes that each of these days has got a piece. Gives those that lie in too many, which begin anew. */
  async add<T extends PointDay>(tx: Tx, days: readonly T[], tooMany: number): Promise<PointDay[]> {
    if (this.#pieces.size > MOST_DAYS) this.#pieces.clear()
    const unseen = days.filter((day) => !this.#pieces.has(keyOf(day)))
    if (unseen.length > 0) {
      // These count the pieces of now, too.
      for (const found of await countInPieces(tx, unseen)) this.#pieces.set(keyOf(found), found.pieces - 1)
    }
    const crowded: PointDay[] = []
    for (const day of days) {
      const key = keyOf(day)
      const pieces = (this.#pieces.get(key) ?? 0) + 1
      this.#pieces.set(key, pieces < tooMany ? pieces : 1)
      if (pieces >= tooMany) crowded.push({ point: day.point, day: day.day })
    }
    return crowded
  }
}

/** Points are numbered with 31 bits, and days since the epoch fit into 22 more, before it too. */
const keyOf = ({ point, day }: PointDay): number => day * 2 ** 31 + point
