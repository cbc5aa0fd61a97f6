import { copyOut, type Queryable, sql, type Tx } from '@storey/kit/database'
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

/**
 * The pieces of the days that touch a range, in order of day and arrival: chunks, and what waits to be folded. One
 * statement sees both, so that each observation is met once, whenever it is folded. What waits comes a batch at a time,
 * and only the point's own is kept: there may be much of it.
 */
export async function readChunks(tx: Tx, point: number, range: { from: number; to: number }): Promise<StoredChunk[]> {
  const rows = copyOut(
    tx,
    `select "dayStart", data, sources from (
      select extract(epoch from day)::bigint * 1000 as "dayStart", sequence::numeric as place, data, sources
      from observation_chunks
      where point = ${point} and day >= '${dayOf(range.from)}'::date and day <= '${dayOf(range.to - 1)}'::date
      union all
      select null, (arrived::text)::numeric * 1e19 + id, data, null from observation_batches
      where last_at >= '${timeOf(range.from)}' and first_at < '${timeOf(range.to)}'
    ) as pieces order by "dayStart" nulls last, place`,
  )
  const chunks: StoredChunk[] = []
  const waiting: Observations[] = []
  for await (const [dayStart, data, sources] of rows) {
    if (dayStart) chunks.push(chunkOf(dayStart, data!, sources!))
    else {
      const own = onlyPoint(decodeBatch(data!), point)
      if (own.count > 0) waiting.push(own)
    }
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

function chunkOf(dayStart: Buffer, data: Buffer, sources: Buffer | null): StoredChunk {
  const runs = sources === null ? null : (JSON.parse(sources.toString()) as SourceRuns)
  return { dayStart: Number(dayStart.readBigInt64BE()), data, sources: runs }
}

const timeOf = (instant: number) => new Date(instant).toISOString()
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
