import { type Cell, copyRows, type Queryable, sql, type Tx } from '@storey/kit/database'
import { encodeChunk, mostBytes } from '../chunk-codec.ts'
import type { FoldedChunk, FoldedLatest, SourceRuns } from './fold-batches.ts'

/** One compactor at a time in a database, whichever process it runs in. */
const COMPACTION_LOCK = 7_305_041

export async function takeTurn(tx: Tx): Promise<boolean> {
  const row = await tx.row<{ mine: boolean }>(sql`select pg_try_advisory_xact_lock(${COMPACTION_LOCK}) as mine`)
  return row!.mine
}

/**
 * Numbers of transactions belong to a server. Batches that came with a backup of another one may seem to lie ahead:
 * they count as older than all others, in their own order.
 */
export async function adoptBatches(db: Queryable): Promise<void> {
  await db.run(sql`
    update observation_batches set arrived = '0'::xid8 where arrived > pg_current_xact_id()`)
}

export type StoredBatch = { id: number; data: Buffer }

/** Those that arrived first, up to so many observations; none that a transaction still running could come before. */
export async function readSettled(tx: Tx, most: number): Promise<StoredBatch[]> {
  return await tx.rows<StoredBatch>(sql`
    select id, data from (
      select id, data, arrived, sum(count) over (order by arrived, id) - count as before from observation_batches
      where arrived < pg_snapshot_xmin(pg_current_snapshot())
    ) as settled where before < ${most} order by arrived, id`)
}

export async function deleteBatches(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.run(sql`delete from observation_batches where id = any(${ids}::bigint[])`)
}

export async function insertChunks(tx: Tx, chunks: readonly FoldedChunk[]): Promise<void> {
  await copyRows(tx, 'observation_chunks', ['point', 'day', 'count', 'data', 'sources'], chunkRows(chunks))
}

function* chunkRows(chunks: readonly FoldedChunk[]): Generator<Cell[]> {
  let buffer = new Uint8Array(4096)
  for (const { point, day, offsetsMs, values, sources } of chunks) {
    const most = mostBytes(values.length)
    if (buffer.length < most) buffer = new Uint8Array(most * 2)
    const end = encodeChunk({ offsetsMs, values }, buffer, 0)
    const data = `\\x${Buffer.from(buffer.buffer, 0, end).toString('hex')}`
    yield [point, dayText(day), values.length, data, sources]
  }
}

let lastDay = Number.NaN
let lastDayText = ''

/** Rows written together share their day. */
function dayText(day: number): string {
  if (day !== lastDay) {
    lastDay = day
    lastDayText = new Date(day * 86_400_000).toISOString().slice(0, 10)
  }
  return lastDayText
}

/** A last value that is older than the one there does not replace it. */
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

export type CrowdedDay = { point: number; day: number }

/** Days of points that lie in many pieces. */
export async function findCrowded(tx: Tx, days: readonly CrowdedDay[], pieces: number): Promise<CrowdedDay[]> {
  return await tx.rows<CrowdedDay>(sql`
    select c.point, extract(epoch from c.day)::bigint / 86400 as day
    from unnest(${days.map(({ point }) => point)}::integer[], ${days.map(({ day }) => dayText(day))}::date[]) as t (point, day)
    join observation_chunks c on c.point = t.point and c.day = t.day
    group by c.point, c.day having count(*) >= ${pieces}`)
}

/** Days that are over and still lie in pieces. */
export async function findUnmerged(tx: Tx, before: Date, most: number): Promise<CrowdedDay[]> {
  return await tx.rows<CrowdedDay>(sql`
    select point, extract(epoch from day)::bigint / 86400 as day from observation_chunks
    where day < ${before}::date group by point, day having count(*) > 1 limit ${most}`)
}

export type PieceRow = { point: number; day: number; data: Buffer; sources: SourceRuns | null }

/** The pieces of these days, in the order in which they count. */
export async function takePieces(tx: Tx, days: readonly CrowdedDay[]): Promise<PieceRow[]> {
  return await tx.rows<PieceRow>(sql`
    with taken as (
      delete from observation_chunks c
      using unnest(${days.map(({ point }) => point)}::integer[], ${days.map(({ day }) => dayText(day))}::date[]) as t (point, day)
      where c.point = t.point and c.day = t.day
      returning c.point, c.day, c.sequence, c.data, c.sources
    )
    select point, extract(epoch from day)::bigint / 86400 as day, data, sources from taken order by point, day, sequence`)
}

export async function deleteDaysBefore(db: Queryable, day: string): Promise<number> {
  return await db.run(sql`delete from observation_chunks where day < ${day}::date`)
}

export async function countWaiting(
  db: Queryable,
): Promise<{ batches: number; observations: number; oldest: Date | null }> {
  const row = await db.row<{ batches: number; observations: number; oldest: Date | null }>(sql`
    select count(*) as batches, coalesce(sum(count), 0) as observations, min(received_at) as oldest
    from observation_batches`)
  return row!
}
