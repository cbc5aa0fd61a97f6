import { readMigrations } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from '../../../migrations.ts'
import { createCompactionThread } from './compaction-thread.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
})
afterAll(() => test.drop())

const threadTo = (databaseUrl: string, idleMs?: number) =>
  createCompactionThread({ databaseUrl, applicationName: 'test' }, silentLog, idleMs)

describe('the compaction thread', () => {
  it('runs every task, even one that arrives while an idle thread ends', async () => {
    const thread = threadTo(test.url, 0)
    for (let i = 0; i < 8; i++) {
      const [folded, merged] = await Promise.all([thread.run({ kind: 'fold' }), thread.run({ kind: 'merge' })])
      expect([folded, merged]).toEqual([{ count: 0, leftBytes: 0 }, undefined])
      await new Promise((resolve) => setTimeout(resolve, i))
    }
    await thread.close()
  })

  it('rejects a task that fails, and runs the next', async () => {
    const thread = threadTo(test.url)
    await expect(thread.run({ kind: 'delete-days', asOfMs: 0, doneAtMs: Number.NaN })).rejects.toThrow()
    expect(await thread.run({ kind: 'fold' })).toEqual({ count: 0, leftBytes: 0 })
    await thread.close()
  })

  it('finishes the running task on close, and accepts no new task', async () => {
    const thread = threadTo(test.url)
    const folding = thread.run({ kind: 'fold' })
    await thread.close()
    expect(await folding).toEqual({ count: 0, leftBytes: 0 })
    await expect(thread.run({ kind: 'merge' })).rejects.toThrow('closed')
  })
})
