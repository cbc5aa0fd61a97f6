import type { PointNode } from '@storey/sdk'
import { type Loading, useLoad } from '@storey/web'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { isNumeric, numberOf } from '../live/format-value.ts'
import { useLiveEvent, useValueStore } from '../live/live.tsx'
import { readSeries, type Series } from './detail.ts'
import { endAt, extendSeries, type NewReading } from './extend-series.ts'
import { endingAt } from './span.ts'
import type { SpanControl } from './use-span.ts'

/** Polling also picks up late and corrected readings and new intervals. */
const POLL_MS = 60_000
/** The chart is redrawn at most once in this time. */
const DRAW_MS = 500

export interface ShownSeries extends Pick<Loading<Series>, 'error' | 'isLoading' | 'reload'> {
  /** The last series of the point stays until the next one is loaded or fails to load. */
  shown: Series | undefined
}

/** Loads the readings of a point. A span that ends now also gets live readings. */
export function useSeries(point: PointNode, { span, isFollowing }: SpanControl): ShownSeries {
  const { api } = useShell()
  const loading = useLoad(
    ['series', point.id, span.from, span.to, isFollowing],
    (signal) => readSeries(api, point, isFollowing ? endingAt(span, Date.now()) : span, signal),
    { pollMs: () => (isFollowing ? POLL_MS : undefined) },
  )
  const { fresh, edge } = useNewReadings(point.id, isFollowing)
  const { data, error, isLoading, reload } = loading
  const now = useMemo(
    () => (data && isFollowing ? extendSeries(data, fresh, edge) : data),
    [data, isFollowing, fresh, edge],
  )

  const last = useRef<{ pointId: string; series: Series }>(undefined)
  useEffect(() => {
    if (now) last.current = { pointId: point.id, series: now }
  })
  const before = last.current?.pointId === point.id ? last.current.series : undefined
  return { shown: now ?? (error === undefined ? before : undefined), error, isLoading, reload }
}

const NONE: { fresh: readonly NewReading[]; edge: number } = { fresh: [], edge: 0 }
/** Live readings are kept this long. After that the reloaded series contains them. */
const RETENTION_MS = 5 * POLL_MS

/** The live readings of a point, and the end of the chart. */
function useNewReadings(pointId: string, isEnabled: boolean): typeof NONE {
  const values = useValueStore()
  const [state, setState] = useState({ pointId, ...NONE })
  const waiting = useRef(new Map<number, NewReading & { arrivedAt: number }>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const add = (at: number, value: string) => {
    if (!isNumeric(value)) return
    const now = Date.now()
    waiting.current.set(at, { at, value: numberOf(value), arrivedAt: now })
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      const time = Date.now()
      for (const [key, { arrivedAt }] of waiting.current)
        if (time - arrivedAt > RETENTION_MS) waiting.current.delete(key)
      const fresh = [...waiting.current.values()]
      setState({ pointId, fresh, edge: endAt(time, fresh) })
    }, DRAW_MS)
  }
  useLiveEvent('building.point.updated', ({ observations }) => {
    if (!isEnabled) return
    for (const one of observations) if (one.pointId === pointId) add(Date.parse(one.timestamp), one.value)
  })
  // After a reconnect the latest value is loaded and does not arrive as an event, so the store is watched too.
  const latest = useRef(add)
  latest.current = add
  useEffect(() => {
    if (!isEnabled) return
    return values.watch(pointId, () => {
      const reading = values.get(pointId)
      if (reading) latest.current(reading.at, reading.value)
    })
  }, [values, pointId, isEnabled])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the readings belong to one point
  useEffect(() => {
    const readings = waiting.current
    return () => {
      readings.clear()
      clearTimeout(timer.current)
      timer.current = undefined
    }
  }, [pointId])
  return state.pointId === pointId ? state : NONE
}
