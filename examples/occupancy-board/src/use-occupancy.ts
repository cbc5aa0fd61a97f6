import { type Loaded, type PointValues, useLiveEvent, useLiveValues } from '@storey/sdk/module'
import { useEffect, useMemo, useRef, useState } from 'react'
import { newer, type Occupancy, occupancyOf, type Reading } from './occupancy.ts'
import type { Room } from './rooms.ts'

const TICK_MS = 5000
const GATHER_MS = 250

export interface RoomOccupancy extends Occupancy {
  room: Room
}

export interface Board {
  rows: RoomOccupancy[]
  now: number
  lastDataAt: number
}

/** The live state of each room. */
export function useOccupancy(rooms: readonly Room[], readAt: number): Loaded<Board> {
  const pointIds = useMemo(() => rooms.flatMap(({ counters, presences }) => [...counters, ...presences]), [rooms])
  const { data: values, error, loading } = useLiveValues(pointIds)
  const wifi = useWifiCounts()
  const now = useNow()
  const lastReceived = useRef(0)
  useLiveEvent('building.point.updated', ({ observations }) => {
    for (const { timestamp } of observations)
      lastReceived.current = Math.max(lastReceived.current, Date.parse(timestamp))
  })
  const lastDataAt = Math.max(readAt, lastReceived.current)
  const rows = useMemo(
    () =>
      values &&
      rooms.map((room) => {
        const counter = together(room.counters, values, (a, b) => a + b)
        const presence = together(room.presences, values, Math.max)
        return {
          room,
          ...occupancyOf(room.capacity, { counter, presence, wifi: wifi.get(room.id) }, { now, lastDataAt }),
        }
      }),
    [rooms, values, wifi, now, lastDataAt],
  )
  return { data: rows && { rows, now, lastDataAt }, error, loading }
}

/** Combines several sensors of a room into one reading: `join` combines their values, and the newest time is used. */
function together(ids: readonly string[], values: PointValues, join: (a: number, b: number) => number) {
  let all: Reading | undefined
  for (const id of ids) {
    const known = values.get(id)
    const value = Number(known?.value)
    if (!known || !Number.isFinite(value)) continue
    const reading = { value, at: Date.parse(known.timestamp) }
    all = all ? { value: join(all.value, value), at: Math.max(all.at, reading.at) } : reading
  }
  return all
}

/**
 * The number of people in each room, as the Wi-Fi access points report it. These numbers are not stored, so they are
 * known only from events since the page was opened.
 */
function useWifiCounts(): ReadonlyMap<string, Reading> {
  const [counts, setCounts] = useState<ReadonlyMap<string, Reading>>(() => new Map())
  const waiting = useRef(new Map<string, Reading>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useLiveEvent('wifi-sensing.occupancy.changed', ({ spaceId, count, occurredAt }) => {
    const reading = { value: count, at: Date.parse(occurredAt) }
    waiting.current.set(spaceId, newer(reading, waiting.current.get(spaceId)) ?? reading)
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      const gathered = waiting.current
      waiting.current = new Map()
      setCounts((before) => new Map([...before, ...gathered]))
    }, GATHER_MS)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return counts
}

/** The time, updated every few seconds, so that the shown ages stay correct. */
function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
