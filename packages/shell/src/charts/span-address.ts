import { MAX_SPAN_MS, MIN_SPAN_MS, type Span } from './span.ts'

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000]
export const RANGES = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const
export type Range = keyof typeof RANGES

/** What a chart shows: a duration up to now, or a fixed span. */
export type SpanChoice = { kind: 'last'; ms: number } | { kind: 'fixed'; span: Span }

/** The query parameters of a choice: `range=week`, `range=90m`, or `from` and `to`. A day is the default. */
export function spanQuery(choice: SpanChoice): Record<'range' | 'from' | 'to', string | null> {
  if (choice.kind === 'fixed') {
    const { from, to } = choice.span
    return { range: null, from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  }
  const range = rangeOf(choice) ?? `${Math.round(choice.ms / MINUTE_MS)}m`
  return { range: range === 'day' ? null : range, from: null, to: null }
}

/** Reads what `spanQuery` wrote. Anything else is a day. */
export function readSpan(query: URLSearchParams): SpanChoice {
  const [from, to] = [Date.parse(query.get('from') ?? ''), Date.parse(query.get('to') ?? '')]
  if (to - from >= MIN_SPAN_MS && to - from <= MAX_SPAN_MS) return { kind: 'fixed', span: { from, to } }
  const range = query.get('range') ?? 'day'
  if (Object.hasOwn(RANGES, range)) return { kind: 'last', ms: RANGES[range as Range] }
  const ms = Number(/^(\d{1,6})m$/.exec(range)?.[1]) * MINUTE_MS
  return { kind: 'last', ms: ms >= MIN_SPAN_MS && ms <= MAX_SPAN_MS ? ms : RANGES.day }
}

/** The range whose button is pressed; undefined if the user has zoomed or moved. */
export const rangeOf = (choice: SpanChoice): Range | undefined =>
  choice.kind === 'last' ? (Object.keys(RANGES) as Range[]).find((range) => RANGES[range] === choice.ms) : undefined
