import { copyOut, type Queryable, sql, type Tx } from '@storey/kit/database'
import type { Observations } from '../ingest/observations.ts'
import { DECODED_BYTES } from '../storage/batch-codec.ts'
import { openBatch } from '../storage/read-batch.ts'
import type { FoldedLatest, SourceRuns } from './fold-batches.ts'
import { FULL_PIECE } from './split-chunks.ts'

/** The advisory lock by which only one process at a time compacts a database. */
export const COMPACTION_LOCK = 7_305_041

export async function takeTurn(tx: Tx): Promise<boolean> {
  const row = await tx.row<{ mine: boolean }>(sql`select pg_try_advisory_xact_lock(${COMPACTION_LOCK}) as mine`)
  return row!.mine
}

/**
 * Transaction ids belong to a server. Batches restored from a backup of another server may have transaction ids that
 * this server has not assigned yet. These batches are changed to count as older than all others, in the order of their
 * `id`.
 */
export async function adoptBatches(db: Queryable): Promise<void> {
  await db.run(sql`
    update observation_batches set arrived = '0'::xid8 where arrived > pg_current_xact_id()`)
}

export interface StoredBatch {
  id: bigint
  parts: readonly Readonly<Observations>[]
}

const SIZE = `octet_length(data) + ${DECODED_BYTES} * count`

/**
 * The oldest batches, until they take `maxBytes` of memory, without batches that are newer than a running transaction.
 */
export async function readFoldable(tx: Tx, maxBytes: number): Promise<StoredBatch[]> {
  const rows = copyOut(
    tx,
    `select id, data from (
      select id, data, arrived, sum(${SIZE}) over (order by arrived, id) - (${SIZE}) as before
      from observation_batches
      where arrived < pg_snapshot_xmin(pg_current_snapshot())
    ) as foldable where before < ${maxBytes} order by arrived, id`,
  )
  const batches: StoredBatch[] = []
  for await (const [id, data] of rows) batches.push({ id: id!.readBigInt64BE(), parts: openBatch(data!) })
  return batches
}

export async function deleteBatches(tx: Tx, ids: readonly bigint[]): Promise<void> {
  await tx.run(sql`delete from observation_batches where id = any(${ids}::bigint[])`)
}

let lastDay = Number.NaN
let lastDayText = ''

/** Formats a day. The last text is reused, since consecutive rows mostly have the same day. */
function dayText(day: number): string {
  if (day !== lastDay) {
    lastDay = day
    lastDayText = new Date(day * 86_400_000).toISOString().slice(0, 10)
  }
  return lastDayText
}

/** Writes the last values of points. A value that is older than the stored one does not replace it. */
export async function raiseLatest(tx: Tx, latest: readonly FoldedLatest[]): Promise<void> {
  await tx.run(sql`
    insert into latest_values (point, at, value, source, run)
    select l.*, (select nextval('folding_runs')) from unnest(${latest.map(({ point }) => point)}::integer[],
      ${latest.map(({ atMs }) => new Date(atMs))}::timestamptz[], ${latest.map(({ value }) => value)}::text[],
      ${latest.map(({ source }) => source)}::text[]) as l
    on conflict (point) do update
      set at = excluded.at, value = excluded.value, source = excluded.source, run = excluded.run
      where excluded.at >= latest_values.at`)
}

export type PointDay = { point: number; day: number }

const daysOf = (days: readonly PointDay[]) => sql`${days.map(({ day }) => dayText(day))}::date[]`
const pointsOf = (days: readonly PointDay[]) => sql`${days.map(({ point }) => point)}::integer[]`

/**
 * The pieces of a point's day that can be merged, oldest first: all pieces after the last full piece. There is at least
 * one. A piece is a row of `observation_chunks`; it is full if it has at least `FULL_PIECE` observations.
 */
export type MergeablePieces = PointDay & {
  sequences: number[]
  /** The number of observations in each piece. */
  counts: number[]
  /** Whether a full piece of the day comes before these pieces. */
  isAfterFull: boolean
}

/** Reads each day by the index. With a plain join to the list of days, PostgreSQL reads all pieces of all points. */
export async function listMergeable(db: Queryable, days: readonly PointDay[]): Promise<MergeablePieces[]> {
  if (days.length === 0) return []
  const rows = await db.rows<Omit<MergeablePieces, 'isAfterFull'>>(sql`
    select t.point, extract(epoch from t.day)::bigint / 86400 as day, p.sequences, p.counts
    from unnest(${pointsOf(days)}, ${daysOf(days)}) as t (point, day)
    cross join lateral (
      select array_agg(sequence::float8 order by sequence) as sequences, array_agg(count order by sequence) as counts
      from observation_chunks c where c.point = t.point and c.day = t.day
    ) as p where p.counts is not null`)
  return rows.map(afterFull).filter(({ counts }) => counts.length > 0)
}

function afterFull({ sequences, counts, ...day }: Omit<MergeablePieces, 'isAfterFull'>): MergeablePieces {
  const from = counts.findLastIndex((count) => count >= FULL_PIECE) + 1
  return { ...day, sequences: sequences.slice(from), counts: counts.slice(from), isAfterFull: from > 0 }
}

const lastFull = sql`
  (select max(sequence) from observation_chunks w where w.point = c.point and w.day = c.day and w.count >= ${FULL_PIECE})`

/**
 * Days before the day of `before` that still have pieces to merge, ordered by point and day. With `after`, the list
 * begins after that point and day.
 */
export async function findUnmerged(
  db: Queryable,
  before: Date,
  { after, max }: { after?: PointDay | undefined; max: number },
): Promise<PointDay[]> {
  const isAfter = after ? sql`(point, day) > (${after.point}, ${dayText(after.day)}::date)` : sql`true`
  return await db.rows<PointDay>(sql`
    select point, extract(epoch from day)::bigint / 86400 as day from observation_chunks c
    where day < ${before}::date and ${isAfter} group by point, day
    having count(*) > 1 and (max(count) < ${FULL_PIECE} or (
      select count(*) from observation_chunks p
      where p.point = c.point and p.day = c.day and p.sequence > ${lastFull}) > 1)
    order by point, c.day limit ${max}`)
}

/** The pieces of a point's day from the sequence `from` on. */
export type LastPieces = PointDay & { from: number }

export type PieceRow = PointDay & { data: Buffer; sources: SourceRuns | null }

/** Deletes and returns the last pieces of these days, oldest first, since later pieces override earlier ones. */
export async function takePieces(tx: Tx, days: readonly LastPieces[]): Promise<PieceRow[]> {
  return await tx.rows<PieceRow>(sql`
    with taken as (
      delete from observation_chunks c
      using unnest(${pointsOf(days)}, ${daysOf(days)}, ${days.map(({ from }) => from)}::bigint[]) as t (point, day, first)
      where c.point = t.point and c.day = t.day and c.sequence >= t.first
      returning c.point, c.day, c.sequence, c.data, c.sources
    )
    select point, extract(epoch from day)::bigint / 86400 as day, data, sources from taken
    order by point, day, sequence`)
}

export type Waiting = { batches: number; observations: number; bytes: number; oldest: Date | null }

export async function countWaiting(db: Queryable): Promise<Waiting> {
  const row = await db.row<Waiting>(sql`
    select count(*) as batches, coalesce(sum(count), 0) as observations,
      coalesce(sum(octet_length(data) + ${DECODED_BYTES}::int * count), 0) as bytes, min(received_at) as oldest
    from observation_batches`)
  return row!
}
