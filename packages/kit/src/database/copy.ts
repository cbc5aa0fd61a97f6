import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import type { Tx } from './database.ts'
import { traceStatement } from './trace-statement.ts'

/** An array is written as JSON. */
export type Cell = string | number | boolean | null | readonly unknown[]

const CHUNK_CHARACTERS = 64 * 1024

/** Streams rows with COPY: only a few chunks of text are in memory at a time. */
export async function copyRows(
  tx: Tx,
  table: string,
  columns: readonly string[],
  rows: Iterable<readonly Cell[]>,
): Promise<void> {
  await traceStatement(tx.client, [`copy ${table}`], () => {
    const sink = tx.client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`))
    return pipeline(Readable.from(chunks(rows)), sink)
  })
}

function* chunks(rows: Iterable<readonly Cell[]>): Generator<string> {
  let chunk = ''
  for (const row of rows) {
    chunk += copyLine(row)
    if (chunk.length < CHUNK_CHARACTERS) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

/** One row in COPY's text format. */
export function copyLine(row: readonly Cell[]): string {
  let line = ''
  for (const [i, cell] of row.entries()) line += (i === 0 ? '' : '\t') + cellText(cell)
  return `${line}\n`
}

function cellText(cell: Cell): string {
  if (cell === null) return '\\N'
  if (typeof cell === 'string') return escaped(cell)
  if (typeof cell === 'object') return escaped(JSON.stringify(cell))
  return String(cell)
}

const SPECIAL = /[\\\t\n\r]/g
const ESCAPED: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function escaped(text: string): string {
  return text.replace(SPECIAL, (character) => ESCAPED[character]!)
}
