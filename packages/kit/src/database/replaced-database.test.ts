import { afterAll, beforeAll, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { openDatabase, withDatabaseName } from './database.ts'
import { identifier, sql } from './sql.ts'
import { isUnavailable } from './unavailable.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await testDatabase({ migrations: [] })
})
afterAll(() => test.drop())

it('[SBX-73] a database that was dropped and created again is not used', async () => {
  const name = `${new URL(test.url).pathname.slice(1)}_replaced`
  const create = () => test.database.run(sql`create database ${identifier(name)}`)
  const drop = () => test.database.run(sql`drop database ${identifier(name)} with (force)`)
  await create()
  let replaced = 0
  const database = openDatabase({
    ...{ url: withDatabaseName(test.url, name), log: silentLog, applicationName: 'replaced', maxConnections: 2 },
    onReplaced: () => {
      replaced++
    },
  })
  await database.ping()
  await drop()
  expect(isUnavailable(await database.ping().catch((err) => err))).toBe(true)
  expect(replaced).toBe(0)
  await create()
  for (let i = 0; i < 2; i++) {
    const failure = await database.run(sql`create table written (n integer)`).catch((err) => err)
    expect(failure).toMatchObject({ message: expect.stringContaining('replaced') })
    expect(isUnavailable(failure)).toBe(true)
  }
  expect(replaced).toBe(1)
  await database.close()
  await drop()
})
