import type { LatestValues } from '@storey/contract'
import { type Queryable, sql } from '@storey/kit/database'
import { isNode } from '../../graph/nodes.store.ts'
import type { StoredChunk } from './series.ts'

const DAY_MS = 86_400_000

export async function findPointNumber(db: Queryable, buildingId: string, pointId: string): Promise<number | undefined> {
  const row = await db.row<{ number: number }>(sql`select number from points where ${isNode(buildingId, pointId)}`)
  return row?.number
}

/**
 * The chunks of the days that touch a range, in order of day and arrival. With `enough`, only so many that they hold
 * that many observations after the first day, which may lie before the range in part.
 */
export async function readChunks(
  db: Queryable,
  point: number,
  range: { from: number; to: number },
  enough = Number.MAX_SAFE_INTEGER,
): Promise<StoredChunk[]> {
  const rows = await db.rows<{ dayStart: number; data: Buffer }>(sql`
    select extract(epoch from day)::bigint * 1000 as "dayStart", data from (
      select day, sequence, data,
        sum(case when day = first_day then 0 else count end) over (order by day, sequence) - count as before
      from (
        select day, sequence, count, data, min(day) over () as first_day from observation_chunks
        where point = ${point} and day >= ${dayOf(range.from)}::date and day <= ${dayOf(range.to - 1)}::date
      ) as touched
    ) as counted
    where before <= ${enough}
    order by day, sequence`)
  return rows
}

const dayOf = (instant: number) => new Date(Math.floor(instant / DAY_MS) * DAY_MS).toISOString().slice(0, 10)

type LatestRow = Omit<LatestValues['data'][number], 'timestamp'> & { timestamp: Date }

export async function readLatest(db: Queryable, buildingId: string): Promise<LatestRow[]> {
  return await db.rows<LatestRow>(sql`
    select p.id as "pointId", p.element_id as "elementId", e.space_id as "spaceId", l.value, l.at as timestamp, l.source,
      p.quantity_kind as "quantityKind", p.unit
    from points p join latest_values l on l.point = p.number join elements e on e.id = p.element_id
    where p.building_id = ${buildingId}
    order by p.code`)
}
