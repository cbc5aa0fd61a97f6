import { type KeyboardEvent, useState } from 'react'
import { drawn, isNearest, type Span, scaled, shifted } from './span.ts'

const DAY_MS = 86_400_000
export const RANGES = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const
export type Range = keyof typeof RANGES

export interface SpanControl {
  span: Span
  range: Range
  isZoomed: boolean
  isNearest: boolean
  /** There is nothing later to see. */
  isLast: boolean
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

/** Which part of the past a chart shows: a range up to now, or a part that was looked at closer. */
export function useSpan(): SpanControl {
  const [range, setRange] = useState<Range>('day')
  const [now, setNow] = useState(() => Date.now())
  const [zoom, setZoom] = useState<Span>()
  const span = zoom ?? { from: now - RANGES[range], to: now }
  const choose = (next: Range) => {
    setRange(next)
    setZoom(undefined)
    setNow(Date.now())
  }
  const control = {
    zoomIn: () => setZoom(scaled(span, 0.5, now)),
    zoomOut: () => setZoom(scaled(span, 2, now)),
    move: (parts: number) => setZoom(shifted(span, parts, now)),
    reset: () => setZoom(undefined),
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
    range,
    isZoomed: zoom !== undefined,
    isNearest: isNearest(span),
    isLast: span.to >= now,
    choose,
    zoomTo: (next) => setZoom(drawn(next, now)),
    onKeyDown(event) {
      const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : actOf(event.key)
      if (!act) return
      event.preventDefault()
      act()
    },
  }
}
