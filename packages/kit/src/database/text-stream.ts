import type { Readable } from 'node:stream'
import type { Database, Tx } from './database.ts'
import { Spool } from './spool.ts'

/** Writes a piece of text. */
export type Send = (text: string) => Promise<void>

/**
 * Streams the text that `write` sends while it reads one snapshot of the database. `write` does not wait for the
 * reader, so a slow reader does not keep the database connection occupied. `write` stops when the reader closes the
 * stream.
 */
export function streamSnapshot(db: Database, write: (tx: Tx, send: Send) => Promise<void>): Readable {
  const out = new Spool()
  const send: Send = (text) => out.append(Buffer.from(text))
  inTurn(db, () => (out.destroyed ? Promise.resolve() : db.snapshot((tx) => write(tx, send)))).then(
    () => out.complete(),
    (err) => out.destroy(err),
  )
  return out
}

/** The maximum number of concurrent long reads per database. */
const AT_A_TIME = 2
const turns = new WeakMap<Database, { running: number; waiting: (() => void)[] }>()

/** Waits until fewer than two other long reads run, because each long read holds a connection. Then runs `work`. */
export async function inTurn<T>(db: Database, work: () => Promise<T>): Promise<T> {
  const turn = turns.get(db) ?? { running: 0, waiting: [] }
  turns.set(db, turn)
  if (turn.running < AT_A_TIME) turn.running += 1
  else await new Promise<void>((resolve) => turn.waiting.push(resolve))
  try {
    return await work()
  } finally {
    const next = turn.waiting.shift()
    if (next) next()
    else turn.running -= 1
  }
}

/** The rows of a statement in batches, for results that do not fit into memory. */
export async function* batches<T>(
  tx: Tx,
  statement: { text: string; values: unknown[] },
  size: number,
): AsyncGenerator<T[]> {
  await tx.client.query({ ...statement, text: `declare batches no scroll cursor for ${statement.text}` })
  try {
    for (;;) {
      const { rows } = await tx.client.query(`fetch ${size} from batches`)
      if (rows.length > 0) yield rows as T[]
      if (rows.length < size) return
    }
  } finally {
    await tx.client.query('close batches').catch(() => undefined)
  }
}
