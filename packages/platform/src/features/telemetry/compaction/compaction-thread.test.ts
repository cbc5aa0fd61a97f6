import type { Worker } from 'node:worker_threads'
import { readMigrations } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from '../../../migrations.ts'
import { copyChunks } from '../storage/telemetry.store.ts'
import { findUnmerged } from './compaction.store.ts'
import { createCompactionThread } from './compaction-thread.ts'
import type { FoldedChunk } from './fold-batches.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
})
afterAll(() => test.drop())

const threadTo = (databaseUrl: string, idleMs?: number) =>
  createCompactionThread({ databaseUrl, applicationName: 'test' }, silentLog, idleMs)

const PIECE = 40_000
/** The first or the second piece of a day. */
const pieceOf = (day: number, piece: number): FoldedChunk => ({
  ...{ point: 1, day, sources: null },
  offsetsMs: Uint32Array.from({ length: PIECE }, (_, i) => piece * PIECE + i),
  values: new Float64Array(PIECE).fill(21.5),
})

describe('the compaction thread', () => {
  it('runs every task, even one that arrives while an idle thread ends', async () => {
    const thread = threadTo(test.url, 0)
    for (let i = 0; i < 8; i++) {
      const [folded, merged] = await Promise.all([thread.run({ kind: 'fold' }), thread.run({ kind: 'merge' })])
      expect([folded, merged]).toEqual([{ folded: { count: 0, leftBytes: 0 } }, {}])
      await new Promise((resolve) => setTimeout(resolve, i))
    }
    await thread.close()
  })

  it('[HIS-33] folds between the steps of a long merge', async () => {
    const days = Array.from({ length: 20 }, (_, i) => 10_000 + i)
    const pieces = days.flatMap((day) => [pieceOf(day, 0), pieceOf(day, 1)])
    await test.database.transaction((tx) => copyChunks(tx, pieces))
    const thread = threadTo(test.url)
    const [merged, folded] = await Promise.all([thread.run({ kind: 'merge' }), thread.run({ kind: 'fold' })])
    expect([merged, folded]).toEqual([{ isUnfinished: true }, { folded: { count: 0, leftBytes: 0 } }])
    const left = async () => (await findUnmerged(test.database, new Date(), { max: 100 })).length
    expect(await left()).toBeGreaterThan(0)
    while ((await thread.run({ kind: 'merge' })).isUnfinished) expect(await left()).toBeLessThan(days.length)
    expect(await left()).toBe(0)
    await thread.close()
  })

  it('rejects a task that fails, and runs the next', async () => {
    const thread = threadTo(test.url)
    await expect(thread.run({ kind: 'delete-days', asOfMs: 0, doneAtMs: Number.NaN })).rejects.toThrow()
    expect(await thread.run({ kind: 'fold' })).toEqual({ folded: { count: 0, leftBytes: 0 } })
    await thread.close()
  })

  it.each([
    ['fold', { kind: 'fold' }],
    ['merge', { kind: 'merge' }],
    ['deletion of old days', { kind: 'delete-days', asOfMs: 0, doneAtMs: 0 }],
    ['task that fails', { kind: 'delete-days', asOfMs: 0, doneAtMs: Number.NaN }],
  ] as const)('ends after a %s, if no other task follows', async (_, task) => {
    const workers: Worker[] = []
    const note = (worker: Worker) => void workers.push(worker)
    process.on('worker', note)
    const thread = threadTo(test.url, 0)
    await thread.run(task).catch(() => undefined)
    process.off('worker', note)
    expect(workers.length).toBe(1)
    // The id of a thread that has ended is -1.
    await expect.poll(() => workers[0]!.threadId).toBe(-1)
    await thread.close()
  })

  it('finishes the running task on close, and accepts no new task', async () => {
    const thread = threadTo(test.url)
    const folding = thread.run({ kind: 'fold' })
    await thread.close()
    expect(await folding).toEqual({ folded: { count: 0, leftBytes: 0 } })
    await expect(thread.run({ kind: 'merge' })).rejects.toThrow('closed')
  })
})
