import { type Figure, median } from '../bench/report.ts'

const MAX_STACK_MB = 350
const MAX_GROWTH = 1.1

/** The limit of a stack's memory, for its samples in MB. */
export const peakOfStack = (mb: readonly number[]): Figure => ({
  what: 'peak memory of a stack',
  measured: isMeasured(mb) ? Math.max(...mb) : Number.NaN,
  limit: MAX_STACK_MB,
  unit: 'MB',
})

/** The limit of the growth of a part's memory, for its samples in MB. */
export const growthOf = (part: string, mb: readonly number[]): Figure => ({
  what: `memory growth of ${part} in the second half`,
  measured: growth(mb),
  limit: MAX_GROWTH,
  unit: '×',
})

/** More samples than this make the result no better, and the number of pairs grows with the square. */
const MAX_SAMPLES = 500

/**
 * How much the memory grew from the middle of a run to its end, as a factor; NaN if it is not known. The growth is that
 * of the line whose slope is the median of the slopes between all pairs of samples (Theil and Sen): garbage collections
 * and short processes, which make the memory go up and down, hardly change it. Memory that falls is accepted.
 */
export function growth(mb: readonly number[]): number {
  if (!isMeasured(mb) || mb.length < 4) return Number.NaN
  const every = Math.max(1, Math.ceil(mb.length / 2 / MAX_SAMPLES))
  const half = mb.slice(Math.floor(mb.length / 2)).filter((_, i) => i % every === 0)
  const slopes = half.flatMap((from, i) => half.slice(i + 1).map((to, after) => (to - from) / (after + 1)))
  const [middle, grown] = [median(half), median(slopes) * half.length]
  return (middle + grown / 2) / Math.max(middle - grown / 2, 1)
}

/** The memory of a running process is never 0: 0 means that it could not be read. */
const isMeasured = (mb: readonly number[]): boolean => mb.length > 0 && mb.every((each) => each > 0)
