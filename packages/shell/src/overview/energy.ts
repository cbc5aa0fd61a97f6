import type { PointNode, SeriesTable } from '@storey/sdk'
import type { BuildingModel } from '../building/model.ts'

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
  /** The readings that together are the consumption of the building. */
  main: readonly PointNode[]
  /** The reading of each storey's own meter. */
  byStorey: ReadonlyMap<string, PointNode>
}

/**
 * The electricity meters. A main meter feeds other meters and is fed by none. Without one, all meters that are not
 * below another one are added up.
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
  /** The same weekday a week ago until the same time; undefined if the meters have no readings of it. */
  weekAgoKwh: number | undefined
  /** Until when both are counted: the end of the last interval with a reading. */
  until: number
}

/** Adds up the intervals of a day and of the day a week before, as far as today has readings. */
export function energyToday(
  { timestamps, series }: SeriesTable,
  meters: readonly PointNode[],
  days: { today: number; weekAgo: number },
): EnergyToday | undefined {
  const factors = new Map(meters.map((point) => [point.id, kwhPer(point)]))
  const times = timestamps.map((timestamp) => Date.parse(timestamp))
  const totals = times.map((_, i) => {
    const known = series.filter(({ values }) => values[i] !== null && values[i] !== undefined)
    if (known.length === 0) return undefined
    return known.reduce((sum, { pointId, values }) => sum + values[i]! * (factors.get(pointId) ?? 1), 0)
  })
  const last = totals.findLastIndex((total, i) => total !== undefined && times[i]! >= days.today)
  if (last < 0) return undefined
  const step = times[1] === undefined ? 0 : times[1] - times[0]!
  const until = times[last]! + step
  const sum = (from: number, to: number): number | undefined => {
    const found = totals.filter((total, i) => total !== undefined && times[i]! >= from && times[i]! < to)
    return found.length === 0 ? undefined : found.reduce<number>((all, total) => all + total!, 0)
  }
  return {
    kwh: sum(days.today, until)!,
    weekAgoKwh: sum(days.weekAgo, days.weekAgo + (until - days.today)),
    until,
  }
}
