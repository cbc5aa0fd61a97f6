import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { type Database, openDatabase } from './database.ts'
import { sql } from './sql.ts'

describe('a transaction that names what it changes, with `touch`,', () => {
  let test: TestDatabase
  let db: Database
  const committed: string[][] = []
  beforeAll(async () => {
    test = await testDatabase({ migrations: [] })
    await test.database.run(sql`create table written (n integer)`)
    db = openDatabase({
      ...{ url: test.url, log: silentLog, applicationName: 'on commit' },
      onCommit: (touched) => committed.push([...touched]),
    })
  })
  afterAll(async () => {
    await db.close()
    await test.drop()
  })
  beforeEach(() => void committed.splice(0))

  it('reports each name once, and only after the commit', async () => {
    await db.transaction(async (tx) => {
      for (const name of ['a', 'b', 'a']) tx.touch(name)
      await tx.run(sql`insert into written values (1)`)
      expect(committed).toEqual([])
    })
    expect(committed).toEqual([['a', 'b']])
    await db.transaction((tx) => tx.run(sql`insert into written values (2)`))
    expect(committed).toHaveLength(1)
  })

  it('reports nothing when it is rolled back', async () => {
    const failing = db.transaction(async (tx) => {
      tx.touch('a')
      await tx.run(sql`insert into written values ('no number')`)
    })
    await expect(failing).rejects.toThrow('no number')
    expect(committed).toEqual([])
  })

  it('rejects and reports nothing if `work` ignores that a statement failed, because PostgreSQL then rolls back', async () => {
    const failing = db.transaction(async (tx) => {
      tx.touch('a')
      await tx.run(sql`insert into written values (3)`)
      await tx.run(sql`insert into written values ('no number')`).catch(() => undefined)
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(committed).toEqual([])
    expect(await db.rows(sql`select n from written where n = 3`)).toEqual([])
  })

  it('reports the names if the commit gets no response, because the commit may have succeeded', async () => {
    const failing = db.transaction(async (tx) => {
      tx.touch('a')
      const { query } = tx.client
      tx.client.query = (async (text: string) => {
        tx.client.query = query
        await tx.client.query(text)
        throw new Error('connection lost')
      }) as never
    })
    await expect(failing).rejects.toThrow('connection lost')
    expect(committed).toEqual([['a']])
  })
})
