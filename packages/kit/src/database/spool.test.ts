import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { Spool } from './spool.ts'
import { streamSnapshot } from './text-stream.ts'

const MB = 1024 * 1024
const sha = (chunks: readonly Buffer[]) => {
  const hash = createHash('sha256')
  for (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}
const pieceOf = (i: number, bytes: number) => Buffer.alloc(bytes, `${i};`)
const filesHere = () => readdirSync(tmpdir()).filter((name) => name.startsWith('storey-response-'))

describe('a spool', () => {
  it.each([
    ['reads immediately', 0],
    ['is slow', 2],
    ['begins late', -1],
  ])('delivers every byte in order to a reader that %s, and leaves no file', async (_, pauseMs) => {
    const spool = new Spool()
    const sent = Array.from({ length: 300 }, (_, i) => pieceOf(i, 1 + ((i * 7_919) % 40_000)))
    const writing = (async () => {
      for (const piece of sent) await spool.append(piece)
      spool.complete()
    })()
    if (pauseMs < 0) await writing
    const received: Buffer[] = []
    for await (const piece of spool) {
      received.push(piece)
      if (pauseMs > 0) await sleep(pauseMs)
    }
    await writing
    expect(sha(received)).toBe(sha(sent))
    expect(filesHere()).toEqual([])
  })

  it('is an empty stream when nothing was written', async () => {
    const spool = new Spool()
    spool.complete()
    expect(await spool.toArray()).toEqual([])
  })

  it.each([0, 1, 2])('ends when it is completed %i microtasks after its reader requested more', async (ticks) => {
    for (const last of [[], ['last']]) {
      const spool = new Spool()
      spool.read(0)
      for (let i = 0; i < ticks; i++) await undefined
      for (const text of last) void spool.append(Buffer.from(text))
      spool.complete()
      expect((await spool.toArray()).map(String)).toEqual(last)
    }
  })

  it('stops its writer when the reader closes, even during a write to disk', async () => {
    for (const before of [0, 3 * MB]) {
      const spool = new Spool()
      if (before > 0) await spool.append(Buffer.alloc(before))
      const writing = (async () => {
        for (;;) await spool.append(Buffer.alloc(MB))
      })()
      setTimeout(() => spool.destroy(), 20)
      await expect(writing).rejects.toThrow()
    }
    expect(filesHere()).toEqual([])
  })
})

describe('a stream that reads a snapshot of the database', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await testDatabase({ migrations: [] })
  })
  afterAll(() => test.drop())

  const streamOf = (pieces: number) =>
    streamSnapshot(test.database, async (_tx, send) => {
      for (let i = 0; i < pieces; i++) await send('x'.repeat(64 * 1024))
    })

  it('[ERR-30] does not wait for slow readers of other streams', async () => {
    const slow = [streamOf(100), streamOf(100), streamOf(100)]
    for (const stream of slow) stream.once('readable', () => undefined)
    const quick = await streamOf(10).toArray()
    expect(Buffer.concat(quick).length).toBe(10 * 64 * 1024)
    for (const stream of slow) expect(Buffer.concat(await stream.toArray()).length).toBe(100 * 64 * 1024)
  })
})
