import { setQuery, useRoute } from '@storey/web'
import { type KeyboardEvent, useState } from 'react'
import { endingAt, isMaxZoom, type Span, scaleSpan, selectedSpan, shiftSpan } from './span.ts'
import { RANGES, type Range, rangeOf, readSpan, spanQuery } from './span-address.ts'

export interface SpanControl {
  /** The span as it was when the user last changed it. If `isFollowing`, the chart moves the span's end to now. */
  span: Span
  /** Whether the chart shows the time up to now. */
  isFollowing: boolean
  /** Undefined if the user has zoomed or moved. */
  range: Range | undefined
  isMaxZoom: boolean
  choose(range: Range): void
  zoomTo(span: Span): void
  zoomIn(): void
  zoomOut(): void
  /** Moves the span by a fraction of its length; a negative fraction moves it back in time. */
  move(parts: number): void
  /** Shows the last range that was chosen. */
  reset(): void
  onKeyDown(event: KeyboardEvent): void
}

/** The span of a chart, from the URL: a range up to now, or the span to which the user has zoomed or moved. */
export function useSpan(): SpanControl {
  const { query } = useRoute()
  const choice = readSpan(query)
  const range = rangeOf(choice)
  const [at, setAt] = useState(Date.now)
  const [chosen, setChosen] = useState(range ?? 'day')
  const isFollowing = choice.kind === 'last'
  const span = choice.kind === 'fixed' ? choice.span : { from: at - choice.ms, to: at }
  const update = (next: (current: Span, now: number) => Span) => {
    const now = Date.now()
    const found = next(isFollowing ? endingAt(span, now) : span, now)
    const isLast = found.to >= now
    setAt(now)
    setQuery(spanQuery(isLast ? { kind: 'last', ms: found.to - found.from } : { kind: 'fixed', span: found }))
  }
  const choose = (next: Range) => {
    setAt(Date.now())
    setChosen(next)
    setQuery(spanQuery({ kind: 'last', ms: RANGES[next] }))
  }
  const control = {
    zoomIn: () => update((current, now) => scaleSpan(current, 0.5, now)),
    zoomOut: () => update((current, now) => scaleSpan(current, 2, now)),
    move(parts: number) {
      if (parts < 0 || !isFollowing) update((current, now) => shiftSpan(current, parts, now))
    },
    reset: () => choose(range ?? chosen),
  }
  const actionOf = (key: string): (() => void) | undefined => {
    if (key === '+' || key === '=') return control.zoomIn
    if (key === '-' || key === '−') return control.zoomOut
    if (key === '0') return control.reset
    if (key === 'ArrowLeft') return () => control.move(-0.25)
    return key === 'ArrowRight' ? () => control.move(0.25) : undefined
  }
  return {
    ...control,
    span,
    isFollowing,
    range,
    isMaxZoom: isMaxZoom(span),
    choose,
    zoomTo: (next) => update((_, now) => selectedSpan(next, now)),
    onKeyDown(event) {
      const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actionOf(event.key)
      if (!action) return
      event.preventDefault()
      action()
    },
  }
}
