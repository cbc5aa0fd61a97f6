import { type KeyboardEvent, useState } from 'react'
import { endingAt, isMaxZoom, type Span, scaleSpan, selectedSpan, shiftSpan } from './span.ts'

const DAY_MS = 86_400_000
export const RANGES = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const
export type Range = keyof typeof RANGES

export interface SpanControl {
  /** The span at the time of the last choice. */
  span: Span
  /** The span ends now and moves with the time. */
  isFollowing: boolean
  range: Range
  isZoomed: boolean
  isMaxZoom: boolean
  choose(range: Range): void
  zoomTo(span: Span): void
  zoomIn(): void
  zoomOut(): void
  /** Moves by a fraction of the span; negative moves back in time. */
  move(parts: number): void
  /** Shows the whole range. */
  reset(): void
  onKeyDown(event: KeyboardEvent): void
}

interface Choice {
  range: Range
  /** When the user made the choice. */
  at: number
  zoom: Span | undefined
}

/** The span of a chart: a range up to now, or the span to which the user has zoomed or moved. */
export function useSpan(): SpanControl {
  const [choice, setChoice] = useState((): Choice => ({ range: 'day', at: Date.now(), zoom: undefined }))
  const { range, at, zoom } = choice
  const span = zoom ?? { from: at - RANGES[range], to: at }
  const isFollowing = span.to >= at
  const update = (next: (current: Span, now: number) => Span | undefined) => {
    const now = Date.now()
    setChoice({ range, at: now, zoom: next(isFollowing ? endingAt(span, now) : span, now) })
  }
  const control = {
    zoomIn: () => update((current, now) => scaleSpan(current, 0.5, now)),
    zoomOut: () => update((current, now) => scaleSpan(current, 2, now)),
    move(parts: number) {
      if (parts < 0 || !isFollowing) update((current, now) => shiftSpan(current, parts, now))
    },
    reset: () => update(() => undefined),
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
    isZoomed: zoom !== undefined,
    isMaxZoom: isMaxZoom(span),
    choose: (next) => setChoice({ range: next, at: Date.now(), zoom: undefined }),
    zoomTo: (next) => update((_, now) => selectedSpan(next, now)),
    onKeyDown(event) {
      const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actionOf(event.key)
      if (!action) return
      event.preventDefault()
      action()
    },
  }
}
