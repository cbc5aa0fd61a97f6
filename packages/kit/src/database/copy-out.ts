import { to as copyTo } from 'pg-copy-streams'
import type { Tx } from './database.ts'
import { failStatement, startStatement } from './trace-statement.ts'

/** The length of the header of PostgreSQL's format: a signature, flags, and the length of an extension. */
const HEADER_BYTES = 19
const END = -1

export type CopiedRow = (Buffer | null)[]

/**
 * Yields the rows of a query one by one, with fields in PostgreSQL's binary format; a field is null if it has no value.
 * It is meant for bytea columns: an ordinary query would transfer two characters for each byte, and return all rows
 * together. The fields are views of the read buffer: copy a field that is kept for long.
 */
export async function* copyOut(tx: Tx, query: string): AsyncGenerator<CopiedRow> {
  const span = startStatement(tx.client, [query])
  const pieces = tx.client.query(copyTo(`copy (${query}) to stdout (format binary)`))[Symbol.asyncIterator]()
  const next = () =>
    pieces.next().catch((err: unknown) => {
      if (span) failStatement(span, err)
      throw err
    })
  const bytes = new Unread(async () => {
    const { value, done } = await next()
    return done ? undefined : (value as Buffer)
  })
  try {
    await bytes.take(HEADER_BYTES)
    for (;;) {
      // Awaiting bytes that have already arrived would take as long as reading them, so `take` returns them without a
      // promise.
      const head = bytes.take(2)
      const fields = (head instanceof Promise ? await head : head).readInt16BE()
      if (fields === END) return
      const row: CopiedRow = []
      for (let i = 0; i < fields; i++) {
        const size = bytes.take(4)
        const length = (size instanceof Promise ? await size : size).readInt32BE()
        const field = length < 0 ? null : bytes.take(length)
        row.push(field instanceof Promise ? await field : field)
      }
      yield row
    }
  } finally {
    // The connection can be reused only after everything has been read.
    try {
      while (!(await next()).done);
    } finally {
      span?.end()
    }
  }
}

/** A buffer for bytes that arrive in pieces of any size and are read in pieces of another size. */
class Unread {
  readonly #next: () => Promise<Buffer | undefined>
  #piece: Buffer = Buffer.alloc(0)
  #at = 0

  constructor(next: () => Promise<Buffer | undefined>) {
    this.#next = next
  }

  take(length: number): Buffer | Promise<Buffer> {
    const end = this.#at + length
    if (end > this.#piece.length) return this.#gather(length)
    const taken = this.#piece.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  async #gather(length: number): Promise<Buffer> {
    const parts = [this.#piece.subarray(this.#at)]
    let left = length - parts[0]!.length
    while (left > 0) {
      const piece = await this.#next()
      if (piece === undefined) throw new Error('the rows end too soon')
      this.#piece = piece
      this.#at = Math.min(left, piece.length)
      parts.push(piece.subarray(0, this.#at))
      left -= this.#at
    }
    return Buffer.concat(parts, length)
  }
}
