import type { BuildingClient, SeriesTable } from '@storey/sdk'
import { kwhPer } from './energy.ts'
import { localDayStart } from './local-day.ts'

/** The id of a storey, and its energy point. */
type StoreyPoint = readonly [storeyId: string, point: { id: string; unit: string }]

/** The consumption of each storey in kWh, on the day of `now` in a time zone. */
export async function readStoreyEnergy(
  { telemetry }: Pick<BuildingClient, 'telemetry'>,
  points: readonly StoreyPoint[],
  timezone: string,
  now: number,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  // A day on which the clocks change has 23 or 25 hours, so the range ends at the start of the next day.
  const [from, to] = [0, -1].map((daysBefore) => new Date(localDayStart(now, timezone, daysBefore)).toISOString())
  const range = { from: from!, to: to!, timezone }
  const pointIds = points.map(([, { id }]) => id)
  const table = await telemetry.query({ pointIds, ...range, aggregation: 'delta', interval: '1d' }, { signal })
  return storeyTotals(table, points)
}

function storeyTotals(table: SeriesTable, points: readonly StoreyPoint[]): Map<string, number> {
  const byPoint = new Map(table.series.map(({ pointId, values }) => [pointId, values]))
  return new Map(
    points.flatMap(([storeyId, point]) => {
      const values = (byPoint.get(point.id) ?? []).filter((value) => value !== null)
      const sum = values.reduce((total, value) => total + value, 0)
      return values.length === 0 ? [] : [[storeyId, sum * kwhPer(point)]]
    }),
  )
}
