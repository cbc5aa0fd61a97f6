import { to as copyTo } from 'pg-copy-streams'
import type { Tx } from './database.ts'

/** The signature, the flags and the length of an extension. */
const HEADER_BYTES = 19

/**
 * The rows of a query in PostgreSQL's binary form, null where there is no value. For columns of bytes: in the usual
 * form each of them would come as two characters, to be put together again.
 */
export async function copyOut(tx: Tx, query: string): Promise<(Buffer | null)[][]> {
  const pieces: Buffer[] = []
  for await (const piece of tx.client.query(copyTo(`copy (${query}) to stdout (format binary)`))) {
    pieces.push(piece as Buffer)
  }
  return rowsOf(Buffer.concat(pieces))
}

function rowsOf(bytes: Buffer): (Buffer | null)[][] {
  const rows: (Buffer | null)[][] = []
  let at = HEADER_BYTES
  for (;;) {
    const fields = bytes.readInt16BE(at)
    at += 2
    if (fields < 0) return rows
    const row: (Buffer | null)[] = []
    for (let i = 0; i < fields; i++) {
      const length = bytes.readInt32BE(at)
      at += 4
      row.push(length < 0 ? null : bytes.subarray(at, at + length))
      if (length > 0) at += length
    }
    rows.push(row)
  }
}
