import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Cell, copyRows, type Queryable, sql, type Tx } from '@storey/kit/database'
import { from as copyFrom } from 'pg-copy-streams'
import { CHUNK_COLUMNS, type Chunk, chunkBlocks } from './chunk-writer.ts'

export const TELEMETRY_TABLES = ['observation_chunks', 'latest_values', 'injected_faults'] as const

/** The number of each point, by its code: series refer to points by number. */
export async function pointNumbers(db: Queryable, buildingId: string): Promise<Map<string, number>> {
  const rows = await db.rows<{ code: string; number: number }>(
    sql`select code, number from points where building_id = ${buildingId}`,
  )
  return new Map(rows.map(({ code, number }) => [code, number]))
}

/** Streams chunks into the table with back-pressure: only a few blocks are in memory at a time. */
export async function copyChunks(tx: Tx, chunks: Iterable<Chunk>): Promise<void> {
  const statement = `copy observation_chunks (${CHUNK_COLUMNS.join(', ')}) from stdin (format binary)`
  const blocks = Readable.from(chunkBlocks(chunks), { highWaterMark: 2 })
  await pipeline(blocks, tx.client.query(copyFrom(statement)))
}

export interface LatestValue {
  point: number
  atMs: number
  value: string
}

export async function copyLatest(tx: Tx, values: Iterable<LatestValue>): Promise<void> {
  await copyRows(tx, 'latest_values', ['point', 'at', 'value'], latestRows(values))
}

function* latestRows(values: Iterable<LatestValue>): Generator<Cell[]> {
  for (const { point, atMs, value } of values) yield [point, new Date(atMs).toISOString(), value]
}

export interface FaultRow {
  id: string
  kind: string
  point: number
  startMs: number
  endMs: number
  amount: number
}

export async function copyFaults(tx: Tx, faults: readonly FaultRow[]): Promise<void> {
  const columns = ['id', 'kind', 'point', 'started_at', 'ended_at', 'amount']
  const rows = faults.map(({ id, kind, point, startMs, endMs, amount }): Cell[] => [
    id,
    kind,
    point,
    new Date(startMs).toISOString(),
    new Date(endMs).toISOString(),
    amount,
  ])
  await copyRows(tx, 'injected_faults', columns, rows)
}
