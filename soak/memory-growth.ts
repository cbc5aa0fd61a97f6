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

/**
 * How much the memory grew from the middle of a run to its end, as a factor; NaN if it is not known. It is the growth
 * from the median of the third quarter to the median of the last one, continued to both ends of the half: the two
 * quarters are half as far apart as the ends. Medians, because garbage collections and short processes make the memory
 * go up and down. Memory that falls is accepted.
 */
export function growth(mb: readonly number[]): number {
  const quarter = (n: number) => mb.slice(Math.floor((mb.length * n) / 4), Math.floor((mb.length * (n + 1)) / 4))
  if (!isMeasured(mb) || mb.length < 4) return Number.NaN
  const [third, last] = [median(quarter(2)), median(quarter(3))]
  const half = (last - third) / 2
  return (last + half) / Math.max(third - half, 1)
}

/** The memory of a running process is never 0: 0 means that it could not be read. */
const isMeasured = (mb: readonly number[]): boolean => mb.length > 0 && mb.every((each) => each > 0)
