import { problems } from '@storey/contract'
import { prepared, sql, type Tx } from '@storey/kit/database'
import { isUuid } from '../../../graph/index.ts'
import type { SourceRuns } from '../compaction/fold-batches.ts'
import { countOf } from '../storage/chunk-codec.ts'
import { dayOf, type NamedPoint, type SeriesPoint, timeOf } from './series.store.ts'
import { adjacentArrays } from './series.ts'
import { WaitingBatches } from './waiting-batches.ts'
import { SeriesWindow, type WindowBounds } from './window.ts'

const DAY_MS = 86_400_000
/**
 * The maximum size of the chunks together with the waiting batches, which are not folded yet. A month of a temperature
 * sensor takes 9 KB.
 */
const MAX_BYTES = 512 * 1024

/** The pieces of a window, joined, because a row for each of them takes longer to send and to parse. */
interface Pieces extends Record<string, unknown> {
  number: number
  /**
   * The chunks, by day and arrival: each as its number of days since 1970, its length, and its bytes. Null if there is
   * too much data for this statement.
   */
  chunks: Buffer | null
  /** The waiting batches, by arrival: each as its length, and its bytes. Null if `chunks` is null. */
  waiting: Buffer | null
  /** The sources of each chunk. Absent unless they were requested. */
  sources?: (SourceRuns | null)[] | null
}

/**
 * Reads the same as `readWindow` if there is little data; returns undefined if there is more. A connection can keep the
 * plan of this statement, while the statement of `readWindow` is planned each time, which takes longer than running it.
 * All data is returned together, so its size is limited.
 */
export async function readSmallWindow(
  tx: Tx,
  point: SeriesPoint,
  bounds: WindowBounds,
  withSources: boolean,
): Promise<SeriesWindow | undefined> {
  const { from, to, max } = bounds
  const pieces = await tx.row<Pieces>(
    prepared(sql`
      with point as (${pointOf(point)}), chunks as (
        select * from observation_chunks where point = (select number from point)
          and day >= ${dayOf(from)}::date and day <= ${dayOf(to - 1)}::date
      ), waiting as (
        select * from observation_batches where last_at >= ${timeOf(from)} and first_at < ${timeOf(to)}
      ), size as (
        select coalesce((select sum(count) from chunks), 0) <= ${2 * max}
          and coalesce((select sum(octet_length(data)) from chunks), 0)
            + coalesce((select sum(octet_length(data)) from waiting), 0) <= ${MAX_BYTES} as "isSmall"
      )
      select number,
        case when "isSmall" then (
          select coalesce(string_agg(int4send(day - date '1970-01-01') || int4send(octet_length(data)) || data, ''
            order by day, sequence), '') from chunks
        ) end as chunks,
        case when "isSmall" then (
          select coalesce(string_agg(int4send(octet_length(data)) || data, '' order by arrived, id), '') from waiting
        ) end as waiting
        ${withSources ? SOURCES : sql``}
      from point cross join size`),
  )
  if (pieces === undefined) throw problems.notFound('point')
  const { number, sources } = pieces
  if (pieces.chunks === null || pieces.waiting === null) return undefined
  if (typeof point !== 'number') point.number = number
  const chunks = [...chunksOf(pieces.chunks)]
  const total = chunks.reduce((sum, { data }) => sum + countOf(data), 0)
  const window = new SeriesWindow(bounds, adjacentArrays(total))
  for (const [i, chunk] of chunks.entries()) window.add({ ...chunk, sources: sources?.[i] ?? null })
  const waiting = new WaitingBatches(window, bounds, withSources)
  for (const batch of batchesOf(pieces.waiting)) waiting.add(batch, number)
  waiting.fold()
  return window
}

const SOURCES = sql`,
  case when "isSmall" then (select json_agg(sources order by day, sequence) from chunks) end as sources`

function* chunksOf(joined: Buffer): Generator<{ dayStart: number; data: Buffer }> {
  for (let at = 0; at < joined.length; ) {
    const end = at + 8 + joined.readInt32BE(at + 4)
    yield { dayStart: joined.readInt32BE(at) * DAY_MS, data: joined.subarray(at + 8, end) }
    at = end
  }
}

function* batchesOf(joined: Buffer): Generator<Buffer> {
  for (let at = 0; at < joined.length; ) {
    const end = at + 4 + joined.readInt32BE(at)
    yield joined.subarray(at + 4, end)
    at = end
  }
}

function pointOf(point: SeriesPoint) {
  const number = typeof point === 'number' ? point : point.number
  if (number !== undefined) return sql`select ${number}::int as number`
  const { buildingId, pointId } = point as NamedPoint
  if (!isUuid(buildingId) || !isUuid(pointId)) throw problems.notFound('point')
  return sql`select number from points where building_id = ${buildingId} and id = ${pointId}`
}
