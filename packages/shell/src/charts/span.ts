export interface Span {
  from: number
  to: number
}

/** The shortest span that a chart shows. */
export const MIN_SPAN_MS = 10 * 60_000
export const MAX_SPAN_MS = 366 * 86_400_000

export const isMaxZoom = ({ from, to }: Span): boolean => to - from <= MIN_SPAN_MS

/** Scales a span around its centre. The result ends at `now` at the latest. */
export function scaleSpan({ from, to }: Span, factor: number, now: number): Span {
  const length = Math.min(Math.max((to - from) * factor, MIN_SPAN_MS), MAX_SPAN_MS)
  const middle = (from + to) / 2
  return limitToNow({ from: middle - length / 2, to: middle + length / 2 }, now)
}

/** Moves a span by a fraction of its length. The result ends at `now` at the latest. */
export function shiftSpan({ from, to }: Span, parts: number, now: number): Span {
  const by = (to - from) * parts
  return limitToNow({ from: from + by, to: to + by }, now)
}

/** A span of the same length that ends at `end`. */
export const endingAt = ({ from, to }: Span, end: number): Span => ({ from: end - (to - from), to: end })

/** The selected part of a chart, widened if it is shorter than the shortest span. */
export const selectedSpan = (span: Span, now: number): Span => scaleSpan(span, 1, now)

function limitToNow({ from, to }: Span, now: number): Span {
  const over = Math.max(0, to - now)
  return { from: from - over, to: to - over }
}
