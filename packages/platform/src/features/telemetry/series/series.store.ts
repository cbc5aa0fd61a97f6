import { problems } from '@storey/contract'
import { copyOut, type Queryable, sql, type Tx } from '@storey/kit/database'
import { hasId, isUuid } from '../../../graph/index.ts'
import type { SourceRuns } from '../compaction/fold-batches.ts'
import type { DayPieces } from './day-pieces.ts'
import { type StoredChunk, startOf } from './series.ts'
import { WaitingBatches } from './waiting-batches.ts'
import { SeriesWindow, type WindowBounds } from './window.ts'

const DAY_MS = 86_400_000

/** A point whose number is found by the first statement that reads its series. */
export interface NamedPoint {
  buildingId: string
  pointId: string
  number?: number | undefined
}

/** A point whose series is read: its number, or where to find it. */
export type SeriesPoint = number | NamedPoint

/** The number of a point. Throws NOT_FOUND if there is no such point. */
export async function numberOf(db: Queryable, point: SeriesPoint): Promise<number> {
  if (typeof point === 'number') return point
  const isPoint = hasId(point.buildingId, point.pointId)
  point.number ??= (await db.row<{ number: number }>(sql`select number from points where ${isPoint}`))?.number
  if (point.number === undefined) throw problems.notFound('point')
  return point.number
}

/**
 * Reads the observations at the start of a range: whole days of chunks until they have `max` observations, and the
 * batches that are not folded yet. One statement reads both, so that each observation is returned once, even if it is
 * folded meanwhile. The rows of the statement come one at a time: first the rows of chunks, in order of day and
 * arrival, then the batches. If the number of the point is not known, the same statement finds it.
 */
export async function readWindow(
  tx: Tx,
  point: SeriesPoint,
  bounds: WindowBounds,
  pieces: DayPieces,
  withSources: boolean,
): Promise<SeriesWindow> {
  const { from, to, max } = bounds
  const outside = pieces.outside(from, to)
  const window = new SeriesWindow(bounds)
  let number = typeof point === 'number' ? point : point.number
  const search = number === undefined ? searchOf(point as NamedPoint) : undefined
  const rows = copyOut(
    tx,
    `select "dayStart", sequence, count, data, sources from (
      select extract(epoch from day)::bigint * 1000 as "dayStart", sequence, sequence::numeric as place, count, data,
        ${withSources ? 'sources' : 'null::json as sources'}
      from (
        select *, sum(count) over (order by day groups between unbounded preceding and 1 preceding) as before
        from observation_chunks
        where point = ${search ? `(${search})` : number} and day >= '${dayOf(from)}'::date and day <= '${dayOf(to - 1)}'::date
          ${outside.length > 0 ? `and sequence <> all('{${outside}}'::bigint[])` : ''}
      ) as counted where before is null or before < ${max}
      union all
      select null, null, (arrived::text)::numeric * 1e19 + id, null, data, null from observation_batches
      where last_at >= '${timeOf(from)}' and first_at < '${timeOf(to)}'
      ${search ? `union all select null, number, 0, null, null, null from (${search}) as point` : ''}
    ) as pieces order by "dayStart" nulls last, place`,
  )
  const waiting = new WaitingBatches(window, bounds, withSources)
  let total = 0
  let dayStart = from
  // If the statement stopped at `max`, the window ends with the last day that was read. Later days, and their waiting
  // batches, belong to the next window.
  const endChunks = () => {
    if (total >= max) window.endBy(dayStart + DAY_MS)
    total = 0
  }
  for await (const [day, sequence, count, data, sources] of rows) {
    if (day) {
      dayStart = Number(day.readBigInt64BE())
      const chunk = chunkOf(dayStart, data!, sources ?? null)
      const last = window.add(chunk)
      const held = count!.readInt32BE()
      total += held
      pieces.note(Number(sequence!.readBigInt64BE()), dayStart, startOf(chunk), last, held)
      continue
    }
    endChunks()
    if (!data) {
      number = Number(sequence!.readBigInt64BE())
      continue
    }
    waiting.add(data, number!)
  }
  endChunks()
  if (number === undefined) throw problems.notFound('point')
  if (typeof point !== 'number') point.number = number
  waiting.fold()
  return window
}

/** The statement that finds the number of a point. In the union its row comes before the waiting batches. */
function searchOf({ buildingId, pointId }: NamedPoint): string {
  if (!isUuid(buildingId) || !isUuid(pointId)) throw problems.notFound('point')
  return `select number from points where building_id = '${buildingId}' and id = '${pointId}'`
}

function chunkOf(dayStart: number, data: Buffer, sources: Buffer | null): StoredChunk {
  const runs = sources === null ? null : (JSON.parse(sources.toString()) as SourceRuns)
  return { dayStart, data, sources: runs }
}

/** The start of the last day that begins before the instant and may have observations of the point. */
export async function lastDayBefore(db: Queryable, point: number, instant: number): Promise<number | undefined> {
  const row = await db.row<{ day: number | null }>(sql`
    select greatest(
      (select extract(epoch from max(day))::float8 * 1000 from observation_chunks
       where point = ${point} and day <= ${dayOf(instant - 1)}::date),
      (select extract(epoch from max(last_at))::float8 * 1000 from observation_batches
       where first_at < ${timeOf(instant)}::timestamptz)) as day`)
  if (row?.day == null) return undefined
  return Math.floor(Math.min(row.day, instant - 1) / DAY_MS) * DAY_MS
}

export const timeOf = (instant: number) => new Date(instant).toISOString()
export const dayOf = (instant: number) => new Date(Math.floor(instant / DAY_MS) * DAY_MS).toISOString().slice(0, 10)
