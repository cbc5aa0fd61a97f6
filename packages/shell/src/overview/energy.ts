import type { PointNode, SeriesTable } from '@storey/sdk'
import type { BuildingModel } from '../building/model.ts'
import { sameTimeBefore } from './local-day.ts'

const ENERGY_KINDS = new Set(['ActiveEnergy', 'ElectricEnergy', 'Energy'])
/** kWh per unit. */
const KWH: Record<string, number> = {
  'KiloW-HR': 1,
  'W-HR': 0.001,
  'MegaW-HR': 1000,
  J: 1 / 3_600_000,
  MegaJ: 1 / 3.6,
}

type Source = Pick<BuildingModel, 'elements' | 'pointsOf' | 'space'>

export interface EnergyMeters {
  /** The points whose values add up to the consumption of the building. */
  main: readonly PointNode[]
  /** The energy point of each storey's own meter. */
  byStorey: ReadonlyMap<string, PointNode>
}

/**
 * The electricity meters. A main meter feeds other meters and is fed by none. Without a main meter, all meters that no
 * other meter feeds are added up.
 */
export function energyMeters({ elements, pointsOf, space }: Source): EnergyMeters {
  const readings = new Map<string, PointNode>()
  for (const { id, elementTypeSlug } of elements) {
    if (elementTypeSlug !== 'electricity-meter') continue
    const reading = pointsOf(id).find(({ pointType, quantityKind, unit }) => {
      return pointType === 'SENSOR' && ENERGY_KINDS.has(quantityKind) && unit in KWH
    })
    if (reading) readings.set(id, reading)
  }
  const meters = elements.filter(({ id }) => readings.has(id))
  const fed = new Set(meters.flatMap(({ serves }) => serves.filter((id) => readings.has(id))))
  const roots = meters.filter(({ id }) => !fed.has(id))
  const mains = roots.filter(({ serves }) => serves.some((id) => readings.has(id)))
  const byStorey = new Map<string, PointNode>()
  for (const { id, serves } of meters) {
    if (!fed.has(id)) continue
    const storeys = new Set(serves.map((served) => space(served)?.storeyId).filter((one) => one !== undefined))
    const [storeyId] = storeys
    if (storeys.size === 1) byStorey.set(storeyId!, readings.get(id)!)
  }
  return { main: (mains.length > 0 ? mains : roots).map(({ id }) => readings.get(id)!), byStorey }
}

export const kwhPer = ({ unit }: Pick<PointNode, 'unit'>): number => KWH[unit] ?? 1

export interface EnergyToday {
  kwh: number
  /** The consumption of an earlier day until the same local time; undefined if no day has readings in its first hour. */
  before: { kwh: number; daysAgo: number } | undefined
  /**
   * The time up to which both days are counted: the end of the last interval with a reading, or now if that interval
   * has not ended.
   */
  until: number
}

interface Days {
  now: number
  timezone: string
  /** The start of today. */
  today: number
  /** The earlier days, in the order of preference. */
  before: readonly { start: number; daysAgo: number }[]
}

/**
 * Adds up the intervals of today as far as there are readings, and the intervals of an earlier day until the same local
 * time. The earlier day is the first one of `before` that has readings in its first hour. The result is undefined if
 * today has no readings.
 */
export function energyToday(
  { timestamps, series }: SeriesTable,
  meters: readonly PointNode[],
  { now, timezone, today, before }: Days,
): EnergyToday | undefined {
  const factors = new Map(meters.map((point) => [point.id, kwhPer(point)]))
  const times = timestamps.map((timestamp) => Date.parse(timestamp))
  const totals = times.map((_, i) => {
    const known = series.filter(({ values }) => typeof values[i] === 'number')
    if (known.length === 0) return undefined
    return known.reduce((sum, { pointId, values }) => sum + values[i]! * (factors.get(pointId) ?? 1), 0)
  })
  const last = totals.findLastIndex((total, i) => total !== undefined && times[i]! >= today)
  if (last < 0) return undefined
  const step = times[1] === undefined ? 0 : times[1] - times[0]!
  const end = times[last]! + step
  const until = Math.min(end, Math.max(now, times[last]!))
  /** The sum of the intervals between two times. An interval that ends after `to` counts in proportion. */
  const sum = (from: number, to: number) =>
    totals.reduce<number>((all, total, i) => {
      const at = times[i]!
      return at >= from && at < to ? all + (total ?? 0) * Math.min(1, (to - at) / step) : all
    }, 0)
  const isCovered = ({ start }: { start: number }) =>
    totals.some((total, i) => total !== undefined && times[i]! >= start && times[i]! < start + HOUR_MS)
  const day = before.find(isCovered)
  return {
    kwh: sum(today, end),
    before: day && { kwh: sum(day.start, sameTimeBefore(until, timezone, day.daysAgo)), daysAgo: day.daysAgo },
    until,
  }
}

const HOUR_MS = 3_600_000
