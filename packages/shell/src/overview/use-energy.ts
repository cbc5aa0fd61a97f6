import { useLoad } from '@storey/web'
import { useEffect, useMemo, useRef } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useValueStore } from '../live/live.tsx'
import { type EnergyMeters, type EnergyToday, energyMeters, energyToday } from './energy.ts'
import { localDayStart } from './local-day.ts'
import { readStoreyEnergy } from './read-storey-energy.ts'

/**
 * How long to wait after a reading until the consumption is loaded again. A simulated meter reports every quarter of an
 * hour of simulated time, which is every 1.5 seconds at the maximum speed of the simulation.
 */
const MIN_INTERVAL_MS = 60_000
/** The earlier days that today is compared with, in the order of preference. */
const DAYS_AGO = [7, 1]

export interface Energy {
  meters: EnergyMeters
  today: EnergyToday | undefined
  isLoading: boolean
  error: unknown
}

/** The consumption of today and of an earlier day, in one request. */
export function useEnergy(): Energy {
  const { api } = useShell()
  const model = useBuildingData()
  const { timezone } = model.building
  const meters = useMemo(() => energyMeters(model), [model])
  const ids = meters.main.map(({ id }) => id)
  const loading = useLoad(['energy-today', api.buildingId, ids, timezone], async (signal) => {
    if (ids.length === 0) return undefined
    const now = Date.now()
    const [today, ...before] = [0, ...DAYS_AGO].map((daysAgo) => ({
      daysAgo,
      start: localDayStart(now, timezone, daysAgo),
    }))
    const range = { from: iso(Math.min(...before.map(({ start }) => start))), to: iso(now) }
    const query = { pointIds: ids, ...range, aggregation: 'delta', interval: '15m' } as const
    const table = await api.telemetry.query(query, { signal })
    return energyToday(table, meters.main, { now, timezone, today: today!.start, before })
  })
  useReloadOnReading(ids[0], loading.reload)
  useReloadAtMidnight(timezone, loading.reload)
  return { meters, today: loading.data, isLoading: loading.isLoading, error: loading.error }
}

const iso = (at: number) => new Date(at).toISOString()

/** Reloads a minute after the point has a new value. Values that arrive within this minute cause no further reload. */
function useReloadOnReading(pointId: string | undefined, reload: () => void): void {
  const values = useValueStore()
  const latest = useRef(reload)
  latest.current = reload
  useEffect(() => {
    if (pointId === undefined) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = values.watch(pointId, () => {
      timer ??= setTimeout(() => {
        timer = undefined
        latest.current()
      }, MIN_INTERVAL_MS)
    })
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [values, pointId])
}

/** Reloads when a day begins in the time zone, even if no reading arrives then. */
function useReloadAtMidnight(timezone: string | undefined, reload: () => void): void {
  const latest = useRef(reload)
  latest.current = reload
  useEffect(() => {
    if (timezone === undefined) return
    let timer: ReturnType<typeof setTimeout>
    const wait = () => {
      const now = Date.now()
      timer = setTimeout(
        () => {
          latest.current()
          wait()
        },
        localDayStart(now, timezone, -1) - now,
      )
    }
    wait()
    return () => clearTimeout(timer)
  }, [timezone])
}

/** The consumption of each storey today in kWh. Without `isWanted`, nothing is loaded and `data` is undefined. */
export function useStoreyEnergy(isWanted: boolean): { data: ReadonlyMap<string, number> | undefined; error: unknown } {
  const { api } = useShell()
  const model = useBuildingData()
  const { timezone } = model.building
  const meters = useMemo(() => energyMeters(model), [model])
  const points = [...meters.byStorey]
  const ids = points.map(([, { id }]) => id)
  const loading = useLoad(['energy-by-storey', api.buildingId, ids, timezone, isWanted], async (signal) => {
    if (!isWanted || ids.length === 0) return new Map<string, number>()
    return readStoreyEnergy(api, points, timezone, Date.now(), signal)
  })
  useReloadOnReading(isWanted ? ids[0] : undefined, loading.reload)
  useReloadAtMidnight(isWanted ? timezone : undefined, loading.reload)
  return { data: isWanted ? loading.data : undefined, error: loading.error }
}
