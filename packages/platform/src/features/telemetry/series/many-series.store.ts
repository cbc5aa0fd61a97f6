import { copyOut, type Queryable, sql, type Tx } from '@storey/kit/database'
import { hasId, isUuid } from '../../../graph/index.ts'
import type { Observations } from '../ingest/observations.ts'
import { decodeBatch } from '../storage/read-batch.ts'
import type { Range } from './read-windows.ts'
import { dayOf, timeOf } from './series.store.ts'

export type NumberedPoint = { id: string; number: number }

/** The points that have these ids and belong to the building. */
export async function findPoints(db: Queryable, buildingId: string, ids: readonly string[]): Promise<NumberedPoint[]> {
  if (!isUuid(buildingId)) return []
  const valid = ids.filter(isUuid)
  return await db.rows<NumberedPoint>(
    sql`select id, number from points where building_id = ${buildingId} and id = any(${valid}::uuid[])`,
  )
}

/** At most `max` points of this quantity kind on a storey, ordered by code; undefined if the storey does not exist. */
export async function findPointsOfStorey(
  db: Queryable,
  buildingId: string,
  { storeyId, quantityKind, max }: { storeyId: string; quantityKind: string; max: number },
): Promise<NumberedPoint[] | undefined> {
  const storey = await db.row(sql`select id from storeys where ${hasId(buildingId, storeyId)}`)
  if (storey === undefined) return undefined
  return await db.rows<NumberedPoint>(sql`
    select p.id, p.number from points p
    join elements e on e.id = p.element_id left join spaces s on s.id = e.space_id
    where p.building_id = ${buildingId} and p.quantity_kind = ${quantityKind}
      and coalesce(e.storey_id, s.storey_id) = ${storeyId}
    order by p.code limit ${max}`)
}

/** The start of the first day with a chunk of any of these points. */
export async function firstDayOf(db: Queryable, points: readonly number[]): Promise<number | undefined> {
  const row = await db.row<{ day: number | null }>(sql`
    select extract(epoch from min(first))::float8 * 1000 as day from unnest(${points}::int[]) as p(point),
      lateral (select min(day) as first from observation_chunks c where c.point = p.point) as days`)
  return row?.day ?? undefined
}

export interface ManyChunk {
  point: number
  dayStart: number
  count: number
  data: Buffer
}

/**
 * Reads the chunks of many points, ordered by point, day and arrival. With `withBefore`, it also reads, for each point,
 * the chunks of the last day before the range on which the point has chunks. The rows are streamed: 1,000 points over
 * 30 days are 30,000 rows of about 300 bytes.
 */
export async function* readManyChunks(
  tx: Tx,
  points: readonly number[],
  { from, to }: Range,
  withBefore: boolean,
): AsyncGenerator<ManyChunk> {
  const list = `'{${points}}'::int[]`
  const before = `union all
    select c.point, c.day, c.sequence, c.count, c.data from unnest(${list}) as p(point),
      lateral (select max(day) as day from observation_chunks where point = p.point and day < '${dayOf(from)}') as last
      join observation_chunks c on c.day = last.day where c.point = p.point`
  const rows = copyOut(
    tx,
    `select point, extract(epoch from day)::bigint * 1000, count, data from (
      select point, day, sequence, count, data from observation_chunks
      where point = any(${list}) and day >= '${dayOf(from)}'::date and day <= '${dayOf(to - 1)}'::date
      ${withBefore ? before : ''}
    ) as chunks order by point, day, sequence`,
  )
  for await (const [point, day, count, data] of rows) {
    yield {
      point: point!.readInt32BE(),
      dayStart: Number(day!.readBigInt64BE()),
      count: count!.readInt32BE(),
      data: data!,
    }
  }
}

/**
 * Batches that wait to be folded and may have observations of a range. The oldest comes first, since later batches
 * override earlier ones.
 */
export async function* readWaitingIn(tx: Tx, { from, to }: Range): AsyncGenerator<Observations> {
  const rows = copyOut(
    tx,
    `select data from observation_batches
     where last_at >= '${timeOf(from)}' and first_at < '${timeOf(to)}' order by arrived, id`,
  )
  for await (const [data] of rows) yield* decodeBatch(data!)
}
