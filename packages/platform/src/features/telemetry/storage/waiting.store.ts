import { copyOut, type Tx } from '@storey/kit/database'
import type { Observations } from '../ingest/observations.ts'
import { decodeBatch } from './batch-codec.ts'

/** Batches that wait to be folded, in the order in which they count: one at a time, since there may be many. */
export async function* readWaiting(tx: Tx): AsyncGenerator<Observations> {
  const rows = copyOut(tx, 'select data from observation_batches order by arrived, id')
  for await (const [data] of rows) yield decodeBatch(data!)
}
