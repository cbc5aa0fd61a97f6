export interface Span {
  from: number
  to: number
}

/** Nearer than this there is nothing more to see. */
export const LEAST_MS = 10 * 60_000
const MOST_MS = 366 * 86_400_000

export const isNearest = ({ from, to }: Span): boolean => to - from <= LEAST_MS

/** A part of the range about its middle, or several of it; it does not go beyond `now`. */
export function scaled({ from, to }: Span, factor: number, now: number): Span {
  const length = Math.min(Math.max((to - from) * factor, LEAST_MS), MOST_MS)
  const middle = (from + to) / 2
  return within({ from: middle - length / 2, to: middle + length / 2 }, now)
}

/** Moves a range by a part of itself, as far as there is something to see. */
export function shifted({ from, to }: Span, parts: number, now: number): Span {
  const by = (to - from) * parts
  return within({ from: from + by, to: to + by }, now)
}

/** The same length of time, up to this moment. */
export const upTo = ({ from, to }: Span, moment: number): Span => ({ from: moment - (to - from), to: moment })

/** What was drawn across a chart, not nearer than is useful. */
export const drawn = (span: Span, now: number): Span => scaled(span, 1, now)

function within({ from, to }: Span, now: number): Span {
  const over = Math.max(0, to - now)
  return { from: from - over, to: to - over }
}
