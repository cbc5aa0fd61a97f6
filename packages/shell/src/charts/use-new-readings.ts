import { useEffect, useRef, useState } from 'react'
import { isNumeric, numberOf } from '../live/format-value.ts'
import { useLiveEvent, useValueStore } from '../live/live.tsx'
import { endAt, type NewReading } from './extend-series.ts'

/** How often a chart reloads its series. A reload also adds late and corrected readings, and new intervals. */
export const POLL_MS = 60_000
/** The chart is redrawn at most once in this time. */
const DRAW_MS = 500
/** Live readings are kept this long. After that the reloaded series contains them. */
const RETENTION_MS = 5 * POLL_MS

export interface NewReadings {
  /** The live readings of each point, by the id of the point. */
  fresh: ReadonlyMap<string, readonly NewReading[]>
  /** The end of the chart. */
  edge: number
}

const NONE: NewReadings = { fresh: new Map(), edge: 0 }
type Waiting = NewReading & { pointId: string; arrivedAt: number }

/** The live readings of points. `key` has their ids, separated by commas. */
export function useNewReadings(key: string, isEnabled: boolean): NewReadings {
  const values = useValueStore()
  const [state, setState] = useState({ key, ...NONE })
  const waiting = useRef(new Map<string, Waiting>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const draw = () => {
    timer.current = undefined
    const now = Date.now()
    for (const [id, { arrivedAt }] of waiting.current) if (now - arrivedAt > RETENTION_MS) waiting.current.delete(id)
    const all = [...waiting.current.values()]
    setState({ key, fresh: Map.groupBy(all, ({ pointId }) => pointId), edge: endAt(now, all) })
  }
  const add = (pointId: string, at: number, value: string) => {
    if (!isNumeric(value)) return
    waiting.current.set(`${pointId} ${at}`, { pointId, at, value: numberOf(value), arrivedAt: Date.now() })
    timer.current ??= setTimeout(draw, DRAW_MS)
  }
  useLiveEvent('building.point.updated', ({ observations }) => {
    if (!isEnabled) return
    for (const { pointId, timestamp, value } of observations) {
      if (key.includes(pointId)) add(pointId, Date.parse(timestamp), value)
    }
  })
  // After a reconnect the latest value is loaded and does not arrive as an event, so the store is watched too.
  const latest = useRef(add)
  latest.current = add
  useEffect(() => {
    if (!isEnabled) return
    const ends = key.split(',').map((id) =>
      values.watch(id, () => {
        const reading = values.get(id)
        if (reading) latest.current(id, reading.at, reading.value)
      }),
    )
    return () => {
      for (const end of ends) end()
    }
  }, [values, key, isEnabled])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the readings belong to the points of `key`
  useEffect(() => {
    const readings = waiting.current
    return () => {
      readings.clear()
      clearTimeout(timer.current)
      timer.current = undefined
    }
  }, [key])
  return state.key === key ? state : NONE
}
