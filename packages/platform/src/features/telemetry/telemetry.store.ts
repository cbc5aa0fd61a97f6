import { type Queryable, sql } from '@storey/kit/database'
import { isNode } from '../../graph/nodes.store.ts'
import { decodeBatch } from '../../telemetry/batch-codec.ts'
import { foldBatches, type SourceRuns } from '../../telemetry/compaction/fold-batches.ts'
import { type Observations, onlyPoint } from '../../telemetry/ingest/observations.ts'
import type { StoredChunk } from './series.ts'

const DAY_MS = 86_400_000

export async function findPointNumber(db: Queryable, buildingId: string, pointId: string): Promise<number | undefined> {
  const row = await db.row<{ number: number }>(sql`select number from points where ${isNode(buildingId, pointId)}`)
  return row?.number
}

type PieceRow =
  | { isBatch: false; dayStart: number; data: Buffer; sources: SourceRuns | null }
  | { isBatch: true; dayStart: null; data: Buffer; sources: null }

/**
 * The pieces of the days that touch a range, in order of day and arrival: chunks, and what waits to be folded. One
 * statement sees both, so that each observation is met once, whenever it is folded.
 */
export async function readChunks(
  db: Queryable,
  point: number,
  range: { from: number; to: number },
): Promise<StoredChunk[]> {
  const rows = await db.rows<PieceRow>(sql`
    select "isBatch", "dayStart", data, sources from (
      select false as "isBatch", extract(epoch from day)::bigint * 1000 as "dayStart", sequence::numeric as place, data,
        sources
      from observation_chunks
      where point = ${point} and day >= ${dayOf(range.from)}::date and day <= ${dayOf(range.to - 1)}::date
      union all
      select true, null, (arrived::text)::numeric * 1e19 + id, data, null from observation_batches
      where last_at >= ${new Date(range.from)} and first_at < ${new Date(range.to)}
    ) as pieces order by "isBatch", "dayStart", place`)
  const chunks: StoredChunk[] = []
  const waiting = []
  for (const row of rows) {
    if (row.isBatch) waiting.push(onlyPoint(decodeBatch(row.data), point))
    else chunks.push(row)
  }
  if (waiting.length === 0) return chunks
  const folded = foldBatches(waiting).chunks.map(({ day, sources, ...samples }) => ({
    dayStart: day * DAY_MS,
    data: samples,
    sources,
  }))
  // Stable: what waits comes after the chunks of its day.
  return [...chunks, ...folded].sort((a, b) => a.dayStart - b.dayStart)
}

const dayOf = (instant: number) => new Date(Math.floor(instant / DAY_MS) * DAY_MS).toISOString().slice(0, 10)

export type StillPoint = {
  number: number
  pointId: string
  elementId: string
  spaceId: string | null
  quantityKind: string
  unit: string
}

/** What does not change with an observation, in the order of the points' codes. */
export async function readStillPoints(db: Queryable, buildingId: string): Promise<StillPoint[]> {
  return await db.rows<StillPoint>(sql`
    select p.number, p.id as "pointId", p.element_id as "elementId", e.space_id as "spaceId",
      p.quantity_kind as "quantityKind", p.unit
    from points p join elements e on e.id = p.element_id where p.building_id = ${buildingId} order by p.code`)
}

export type KeptValue = { point: number; at: Date; value: string; source: string | null; run: number }

/** Last values of the whole tenant that were written after a run of the folding. */
export async function readKeptValues(db: Queryable, after: number): Promise<KeptValue[]> {
  return await db.rows<KeptValue>(sql`select point, at, value, source, run from latest_values where run > ${after}`)
}

/** What waits to be folded, in the order in which it counts. */
export async function readWaiting(db: Queryable): Promise<Observations[]> {
  const rows = await db.rows<{ data: Buffer }>(sql`select data from observation_batches order by arrived, id`)
  return rows.map(({ data }) => decodeBatch(data))
}
