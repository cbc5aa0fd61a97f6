import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { Tx } from './database.ts'

export interface CopyBetween {
  from: Tx
  /** A query whose rows are copied. */
  query: string
  to: Tx
  /** A table with its columns, such as `nodes (id, code)`, in the order of the columns of the query. */
  target: string
  signal?: AbortSignal
}

/**
 * Copies rows from one server to another with COPY, in PostgreSQL's binary format. The bytes are passed on as they are,
 * so only a few buffers are in memory. Resolves with the number of rows. If the copy fails or is aborted, both
 * connections are closed, because otherwise the source server would wait for ever until its remaining rows are read.
 */
export async function copyBetween({ from, query, to, target, signal }: CopyBetween): Promise<number> {
  const source = from.client.query(copyTo(`copy (${query}) to stdout (format binary)`))
  const sink = to.client.query(copyFrom(`copy ${target} from stdin (format binary)`))
  try {
    await pipeline(source, sink, signal ? { signal } : {})
    return sink.rowCount
  } catch (err) {
    for (const { client } of [from, to]) (client as ClientInternals).connection.stream.destroy()
    throw err
  }
}

/** Fields of the driver that its types lack. */
type ClientInternals = pg.PoolClient & { connection: { stream: Socket } }
