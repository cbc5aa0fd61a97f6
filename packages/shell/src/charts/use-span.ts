import { type KeyboardEvent, useState } from 'react'
import { drawn, isNearest, type Span, scaled, shifted, upTo } from './span.ts'

const DAY_MS = 86_400_000
export const RANGES = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const
export type Range = keyof typeof RANGES

export interface SpanControl {
  /** As it was when it was chosen. */
  span: Span
  /** It ends now, and goes on with the time; else it is of the past, and stays. */
  isFollowing: boolean
  range: Range
  isZoomed: boolean
  isNearest: boolean
  choose(range: Range): void
  zoomTo(span: Span): void
  zoomIn(): void
  zoomOut(): void
  /** By a part of what is seen; less than zero goes back. */
  move(parts: number): void
  /** The whole of the range that was chosen. */
  reset(): void
  onKeyDown(event: KeyboardEvent): void
}

interface Choice {
  range: Range
  /** When it was made. */
  at: number
  zoom: Span | undefined
}

/** Which part of the past a chart shows: a range up to now, or a part that was looked at closer. */
export function useSpan(): SpanControl {
  const [choice, setChoice] = useState((): Choice => ({ range: 'day', at: Date.now(), zoom: undefined }))
  const { range, at, zoom } = choice
  const span = zoom ?? { from: at - RANGES[range], to: at }
  const isFollowing = span.to >= at
  const look = (next: (seen: Span, now: number) => Span | undefined) => {
    const now = Date.now()
    setChoice({ range, at: now, zoom: next(isFollowing ? upTo(span, now) : span, now) })
  }
  const control = {
    zoomIn: () => look((seen, now) => scaled(seen, 0.5, now)),
    zoomOut: () => look((seen, now) => scaled(seen, 2, now)),
    move(parts: number) {
      if (parts < 0 || !isFollowing) look((seen, now) => shifted(seen, parts, now))
    },
    reset: () => look(() => undefined),
  }
  const actOf = (key: string): (() => void) | undefined => {
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
    isNearest: isNearest(span),
    choose: (next) => setChoice({ range: next, at: Date.now(), zoom: undefined }),
    zoomTo: (next) => look((_, now) => drawn(next, now)),
    onKeyDown(event) {
      const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : actOf(event.key)
      if (!act) return
      event.preventDefault()
      act()
    },
  }
}
