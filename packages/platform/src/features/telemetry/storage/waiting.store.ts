import { copyOut, type Tx } from '@storey/kit/database'
import type { Observations } from '../ingest/observations.ts'
import { decodeBatch } from './read-batch.ts'

/**
 * The batches that wait to be folded, oldest first, because later batches override earlier ones. Only one batch is in
 * memory at a time.
 */
export async function* readWaiting(tx: Tx): AsyncGenerator<Observations> {
  const rows = copyOut(tx, 'select data from observation_batches order by arrived, id')
  for await (const [data] of rows) yield* decodeBatch(data!)
}
