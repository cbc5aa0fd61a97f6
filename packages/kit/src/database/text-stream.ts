import { PassThrough, type Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Tx } from './database.ts'

/** Hands a piece of text on; done when the reader has room for more. */
export type Send = (text: string) => Promise<void>

/** A reader that takes nothing for so long would keep its connection from the others. */
const STALL_LIMIT_MS = 30_000
const BUFFERED_BYTES = 256 * 1024

/** What `write` reads at one moment of the database, as a stream of text. When the reader goes, the reading ends. */
export function streamSnapshot(db: Database, write: (tx: Tx, send: Send) => Promise<void>): Readable {
  const out = new PassThrough({ highWaterMark: BUFFERED_BYTES })
  const send: Send = async (text) => {
    const ended = new AbortController()
    const written = new Promise<void>((resolve, reject) => {
      out.write(text, (err) => (err ? reject(err) : resolve()))
    })
    const stalled = sleep(STALL_LIMIT_MS, undefined, { signal: ended.signal }).then(() => {
      throw new Error('the reader takes nothing')
    })
    stalled.catch(() => undefined)
    try {
      await Promise.race([written, stalled])
    } finally {
      ended.abort()
    }
  }
  inTurn(db, () => (out.destroyed ? Promise.resolve() : db.snapshot((tx) => write(tx, send)))).then(
    () => out.end(),
    (err) => out.destroy(err),
  )
  return out
}

/** Streams of one database at a time: each keeps a connection for as long as its reader takes. */
const AT_A_TIME = 2
const turns = new WeakMap<Database, { running: number; waiting: (() => void)[] }>()

async function inTurn(db: Database, work: () => Promise<void>): Promise<void> {
  const turn = turns.get(db) ?? { running: 0, waiting: [] }
  turns.set(db, turn)
  if (turn.running < AT_A_TIME) turn.running += 1
  else await new Promise<void>((resolve) => turn.waiting.push(resolve))
  try {
    await work()
  } finally {
    const next = turn.waiting.shift()
    if (next) next()
    else turn.running -= 1
  }
}

/** The rows of a statement, a batch at a time: a table larger than the memory can be gone through. */
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
