import type { PointNode } from '@storey/sdk'
import { type Loading, useLoad } from '@storey/web'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import type { Series } from './detail.ts'
import { extendSeries } from './extend-series.ts'
import { isHeld, readSeries } from './read-series.ts'
import { endingAt, type Span } from './span.ts'
import { POLL_MS, useNewReadings } from './use-new-readings.ts'
import type { SpanControl } from './use-span.ts'

export interface ShownSeries extends Pick<Loading<Series[]>, 'error' | 'isLoading' | 'reload'> {
  /** In the order of the points. While new series of the same points are loading, `shown` has the previous ones. */
  shown: readonly Series[] | undefined
}

/** Loads the readings of points. A span that ends now also gets live readings. */
export function useSeries(points: readonly PointNode[], control: SpanControl): ShownSeries {
  const { span, isFollowing } = useDebouncedSpan(control)
  const { api } = useShell()
  const { timezone } = useBuildingData().building
  const ids = points.map(({ id }) => id)
  const key = ids.join()
  // A text, because an array would be a new dependency of `useMemo` in each rendering.
  const held = points.map((point) => (isHeld(point) ? '1' : '0')).join('')
  const { data, error, isLoading, reload } = useLoad(
    ['series', ids, span.from, span.to, isFollowing],
    (signal) => readSeries(api, points, isFollowing ? endingAt(span, Date.now()) : span, { timezone, signal }),
    { pollMs: () => (isFollowing ? POLL_MS : undefined) },
  )
  const { fresh, edge } = useNewReadings(key, isFollowing)
  const now = useMemo(() => {
    if (!data || !isFollowing) return data
    const ids = key.split(',')
    return data.map((series, i) => extendSeries(series, fresh.get(ids[i]!) ?? [], edge, held[i] === '1'))
  }, [data, isFollowing, fresh, edge, key, held])

  const last = useRef<{ key: string; series: Series[] }>(undefined)
  useEffect(() => {
    if (now) last.current = { key, series: now }
  })
  const before = last.current?.key === key ? last.current.series : undefined
  return { shown: now ?? (error === undefined ? before : undefined), error, isLoading, reload }
}

/** A span is loaded when it has not changed for this long, so that several quick zoom steps load only the last span. */
const DEBOUNCE_MS = 150

function useDebouncedSpan({ span: { from, to }, isFollowing }: SpanControl): { span: Span; isFollowing: boolean } {
  const [debounced, setDebounced] = useState({ span: { from, to }, isFollowing })
  useEffect(() => {
    const timer = setTimeout(
      () =>
        setDebounced((before) => {
          const isSame = before.span.from === from && before.span.to === to && before.isFollowing === isFollowing
          return isSame ? before : { span: { from, to }, isFollowing }
        }),
      DEBOUNCE_MS,
    )
    return () => clearTimeout(timer)
  }, [from, to, isFollowing])
  return debounced
}
