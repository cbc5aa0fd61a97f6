import type { PointNode } from '@storey/sdk'
import { type Loading, useLoad } from '@storey/web'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { isNumeric, numberOf } from '../live/format-value.ts'
import { useLiveEvent, useValueStore } from '../live/live.tsx'
import { readSeries, type Series } from './detail.ts'
import { edgeAt, type Fresh, grown } from './grown.ts'
import { upTo } from './span.ts'
import type { SpanControl } from './use-span.ts'

/** Also what came late, was replaced or belongs to an average is seen so soon. */
const AGAIN_MS = 60_000
/** A picture of more than a thousand readings is not drawn for each of them. */
const DRAW_MS = 500

export interface ShownSeries extends Pick<Loading<Series>, 'error' | 'isLoading' | 'reload'> {
  /** What came last stays until the next is there. */
  shown: Series | undefined
}

/** The readings of a point over a span. One that ends now grows as they come. */
export function useSeries(point: PointNode, { span, isFollowing }: SpanControl): ShownSeries {
  const { api } = useShell()
  const loading = useLoad(
    ['series', point.id, span.from, span.to, isFollowing],
    (signal) => readSeries(api, point, isFollowing ? upTo(span, Date.now()) : span, signal),
    { again: () => (isFollowing ? AGAIN_MS : undefined) },
  )
  const { fresh, edge } = useFresh(point.id, isFollowing)
  const { data, error, isLoading, reload } = loading
  const now = useMemo(() => (data && isFollowing ? grown(data, fresh, edge) : data), [data, isFollowing, fresh, edge])

  const last = useRef<{ pointId: string; series: Series }>(undefined)
  useEffect(() => {
    if (now) last.current = { pointId: point.id, series: now }
  })
  const before = last.current?.pointId === point.id ? last.current.series : undefined
  return { shown: now ?? (error === undefined ? before : undefined), error, isLoading, reload }
}

const NONE: { fresh: readonly Fresh[]; edge: number } = { fresh: [], edge: 0 }
/** What a reading of the series may have missed; older ones are in it. */
const KEPT_MS = 5 * AGAIN_MS

/** The readings of a point that came since somebody looks, and the moment of the last. */
function useFresh(pointId: string, isOn: boolean): typeof NONE {
  const values = useValueStore()
  const [state, setState] = useState({ pointId, ...NONE })
  const waiting = useRef(new Map<number, Fresh & { cameAt: number }>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const take = (at: number, value: string) => {
    if (!isNumeric(value)) return
    const now = Date.now()
    waiting.current.set(at, { at, value: numberOf(value), cameAt: now })
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      const present = Date.now()
      for (const [key, { cameAt }] of waiting.current) if (present - cameAt > KEPT_MS) waiting.current.delete(key)
      const fresh = [...waiting.current.values()]
      setState({ pointId, fresh, edge: edgeAt(present, fresh) })
    }, DRAW_MS)
  }
  useLiveEvent('building.point.updated', ({ observations }) => {
    if (!isOn) return
    for (const one of observations) if (one.pointId === pointId) take(Date.parse(one.timestamp), one.value)
  })
  // After a break of the connection the last value is read, and not told.
  const latest = useRef(take)
  latest.current = take
  useEffect(() => {
    if (!isOn) return
    return values.watch(pointId, () => {
      const reading = values.get(pointId)
      if (reading) latest.current(reading.at, reading.value)
    })
  }, [values, pointId, isOn])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another point has other readings
  useEffect(() => {
    const kept = waiting.current
    return () => {
      kept.clear()
      clearTimeout(timer.current)
      timer.current = undefined
    }
  }, [pointId])
  return state.pointId === pointId ? state : NONE
}
