/**
 * A piece is a row of `observation_chunks`: some of the observations of a point and a day. When the last pieces of a
 * day are of similar size and there are at least this many of them, they are merged into one.
 */
export const SIMILAR_PIECES = 8
/** All pieces of a day are merged when there are this many, whatever their sizes are. */
const MAX_PIECES = 64
/** A piece is similar in size to another one if it is less than this many times as large. It may be much smaller. */
const MAX_RATIO = SIMILAR_PIECES / 2

/**
 * The index of the first piece of a day to merge; undefined if there is nothing to merge yet. `counts` are the numbers
 * of observations in the pieces. Eight pieces are merged into one, eight of the resulting pieces into a larger one, and
 * so on: if a point is observed every ten seconds, an observation is merged at most four times. If every eight new
 * pieces were merged with all earlier pieces of the day, an observation would be merged 540 times on average.
 */
export function firstMerged(counts: readonly number[]): number | undefined {
  if (counts.length >= MAX_PIECES) return 0
  let first = counts.length - countSimilar(counts)
  if (counts.length - first < SIMILAR_PIECES) return undefined
  for (;;) {
    const size = counts.slice(first).reduce((sum, count) => sum + count, 0)
    const before = similarTo(size, counts.slice(0, first))
    // The merged piece itself counts as one of the similar pieces.
    if (before + 1 < SIMILAR_PIECES) return first
    first -= before
  }
}

/** How many of the last pieces of a day are similar in size to the very last one, which is counted too. */
export const countSimilar = (counts: readonly number[]): number => similarTo(counts.at(-1) ?? 0, counts)

function similarTo(size: number, counts: readonly number[]): number {
  let similar = 0
  while (similar < counts.length && counts.at(-1 - similar)! < MAX_RATIO * size) similar++
  return similar
}
