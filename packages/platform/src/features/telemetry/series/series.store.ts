import { copyOut, type Queryable, sql, type Tx } from '@storey/kit/database'
import { isNode } from '../../../graph/index.ts'
import { foldBatches, type SourceRuns } from '../compaction/fold-batches.ts'
import { type Observations, onlyPoint } from '../ingest/observations.ts'
import { decodeBatch } from '../storage/batch-codec.ts'
import type { DayPieces } from './day-pieces.ts'
import { type StoredChunk, startOf } from './series.ts'
import { SeriesWindow, type WindowBounds } from './window.ts'

const DAY_MS = 86_400_000

export async function findPointNumber(db: Queryable, buildingId: string, pointId: string): Promise<number | undefined> {
  const row = await db.row<{ number: number }>(sql`select number from points where ${isNode(buildingId, pointId)}`)
  return row?.number
}

/** The number of waiting observations of a point that are sorted together. */
const FOLDED_AT_ONCE = 50_000

/**
 * The observations at the start of a range: of as many days as hold enough, and of batches that wait to be folded. One
 * statement sees both, so that each observation is returned once, whenever it is folded. Pieces come one at a time, in
 * order of day and arrival, and waiting batches come last.
 */
export async function readWindow(
  tx: Tx,
  point: number,
  bounds: WindowBounds,
  pieces: DayPieces,
  withSources: boolean,
): Promise<SeriesWindow> {
  const { from, to, max } = bounds
  const outside = pieces.outside(from, to)
  const window = new SeriesWindow(bounds)
  const rows = copyOut(
    tx,
    `select "dayStart", sequence, count, data, sources from (
      select extract(epoch from day)::bigint * 1000 as "dayStart", sequence, sequence::numeric as place, count, data,
        ${withSources ? 'sources' : 'null::json as sources'}
      from (
        select *, sum(count) over (order by day groups between unbounded preceding and 1 preceding) as before
        from observation_chunks
        where point = ${point} and day >= '${dayOf(from)}'::date and day <= '${dayOf(to - 1)}'::date
          ${outside.length > 0 ? `and sequence <> all('{${outside}}'::bigint[])` : ''}
      ) as counted where before is null or before < ${max}
      union all
      select null, null, (arrived::text)::numeric * 1e19 + id, null, data, null from observation_batches
      where last_at >= '${timeOf(from)}' and first_at < '${timeOf(to)}'
    ) as pieces order by "dayStart" nulls last, place`,
  )
  let waiting: Observations[] = []
  let waitingCount = 0
  let total = 0
  let dayStart = from
  const fold = () => {
    for (const { day, sources, ...data } of foldBatches(waiting).chunks)
      window.add({ dayStart: day * DAY_MS, data, sources: withSources ? sources : null })
    waiting = []
    waitingCount = 0
  }
  // Days may have been left out from here on: they belong to the next window, with their waiting batches.
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
    const own = onlyPoint(decodeBatch(data!), point, { from, to: window.to })
    if (own.count > 0) waiting.push(own)
    waitingCount += own.count
    if (waitingCount >= FOLDED_AT_ONCE) fold()
  }
  endChunks()
  if (waitingCount > 0) fold()
  return window
}

function chunkOf(dayStart: number, data: Buffer, sources: Buffer | null): StoredChunk {
  const runs = sources === null ? null : (JSON.parse(sources.toString()) as SourceRuns)
  return { dayStart, data, sources: runs }
}

/** The start of the last day before an instant that may have observations of a point. */
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

export type PointFields = {
  number: number
  pointId: string
  elementId: string
  spaceId: string | null
  quantityKind: string
  unit: string
}

/** The fields of points that do not change with an observation, ordered by code. */
export async function readPointFields(db: Queryable, buildingId: string): Promise<PointFields[]> {
  return await db.rows<PointFields>(sql`
    select p.number, p.id as "pointId", p.element_id as "elementId", e.space_id as "spaceId",
      p.quantity_kind as "quantityKind", p.unit
    from points p join elements e on e.id = p.element_id where p.building_id = ${buildingId} order by p.code`)
}

export type KeptValue = { point: number; at: Date; value: string; source: string | null; run: number }

/** Last values of the whole tenant that were written after a folding run. */
export async function readKeptValues(db: Queryable, after: number): Promise<KeptValue[]> {
  return await db.rows<KeptValue>(sql`select point, at, value, source, run from latest_values where run > ${after}`)
}
