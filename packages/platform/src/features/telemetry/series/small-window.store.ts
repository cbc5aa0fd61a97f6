import { problems } from '@storey/contract'
import { prepared, sql, type Tx } from '@storey/kit/database'
import { isUuid } from '../../../graph/index.ts'
import type { SourceRuns } from '../compaction/fold-batches.ts'
import { dayOf, type NamedPoint, type SeriesPoint, timeOf } from './series.store.ts'
import { WaitingBatches } from './waiting-batches.ts'
import { SeriesWindow, type WindowBounds } from './window.ts'

/**
 * The maximum size of the chunks together with the waiting batches, which are not folded yet. A month of a temperature
 * sensor takes 9 KB.
 */
const MAX_BYTES = 512 * 1024

interface Piece extends Record<string, unknown> {
  number: number
  isSmall: boolean
  /** Null for a waiting batch. */
  dayStart: number | null
  arrived: string | null
  place: number
  /** Null in the only row, if there is no piece or too much data. */
  data: Buffer | null
  sources: SourceRuns | null
}

/**
 * Reads the same as `readWindow` if there is little data; returns undefined if there is more. A connection can keep the
 * plan of this statement, while the statement of `readWindow` is planned each time, which takes longer than running it.
 * All rows are returned together, so their size is limited.
 */
export async function readSmallWindow(
  tx: Tx,
  point: SeriesPoint,
  bounds: WindowBounds,
  withSources: boolean,
): Promise<SeriesWindow | undefined> {
  const { from, to, max } = bounds
  const pieces = await tx.rows<Piece>(
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
      ), pieces as (
        select extract(epoch from day)::float8 * 1000 as "dayStart", null as arrived, sequence as place, data,
          ${withSources ? sql`sources` : sql`null::json as sources`} from chunks, size where "isSmall"
        union all
        select null, arrived::text, id, data, null from waiting, size where "isSmall"
      )
      select * from point cross join size left join pieces on true`),
  )
  const [first] = pieces
  if (first === undefined) throw problems.notFound('point')
  if (!first.isSmall) return undefined
  if (typeof point !== 'number') point.number = first.number
  const window = new SeriesWindow(bounds)
  const waiting = new WaitingBatches(window, bounds, withSources)
  for (const { dayStart, data, sources } of pieces.sort(byArrival)) {
    if (dayStart !== null) window.add({ dayStart, data: data!, sources })
    else if (data !== null) waiting.add(data, first.number)
  }
  waiting.fold()
  return window
}

function pointOf(point: SeriesPoint) {
  const number = typeof point === 'number' ? point : point.number
  if (number !== undefined) return sql`select ${number}::int as number`
  const { buildingId, pointId } = point as NamedPoint
  if (!isUuid(buildingId) || !isUuid(pointId)) throw problems.notFound('point')
  return sql`select number from points where building_id = ${buildingId} and id = ${pointId}`
}

/** Chunks by day and arrival, then waiting batches by arrival. */
function byArrival(a: Piece, b: Piece): number {
  if (a.dayStart !== b.dayStart)
    return (a.dayStart ?? Number.POSITIVE_INFINITY) - (b.dayStart ?? Number.POSITIVE_INFINITY)
  if (a.arrived === b.arrived) return a.place - b.place
  return BigInt(a.arrived!) < BigInt(b.arrived!) ? -1 : 1
}
