import type { Figure } from '../bench/report.ts'

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
  what: `memory of ${part} in the second half, as a multiple of the first`,
  measured: growth(mb),
  limit: MAX_GROWTH,
  unit: '×',
})

/** This part of a run is not compared: caches fill then, and code is compiled. */
const WARM_UP = 0.1

/**
 * How much higher the memory was in the second half of a run than in the first, as a factor; NaN if it is not known. The
 * ninth decile of each half is compared. Between two collections of its whole heap a process grows for up to twenty
 * minutes and then falls by a third, so a trend within one half depends on where the half begins; short processes add
 * peaks. A leak raises the high values, and neither changes them.
 */
export function growth(mb: readonly number[]): number {
  if (!isMeasured(mb) || mb.length < 10) return Number.NaN
  const middle = Math.floor(mb.length / 2)
  return highOf(mb.slice(middle)) / highOf(mb.slice(Math.floor(mb.length * WARM_UP), middle))
}

const highOf = (mb: readonly number[]): number => mb.toSorted((a, b) => a - b)[Math.floor(mb.length * 0.9)]!

/** The memory of a running process is never 0: 0 means that it could not be read. */
const isMeasured = (mb: readonly number[]): boolean => mb.length > 0 && mb.every((each) => each > 0)
