import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded-postgres/index.ts'
import { silentLog } from '../log.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { type Database, openDatabase } from './database.ts'
import { sql } from './sql.ts'
import { createVacuum } from './vacuum.ts'

let server: EmbeddedPostgres
let db: Database
beforeAll(async () => {
  const folder = temporaryFolder('storey-vacuum')
  chmodSync(folder, 0o711)
  // `autovacuum_vacuum_insert_threshold` can only be changed for a whole server, so the test starts its own.
  const settings = { fsync: 'off', autovacuum_vacuum_insert_threshold: '-1' }
  server = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), password: 'x', log: silentLog, settings })
  db = openDatabase({ url: server.url, log: silentLog, applicationName: 'test' })
})
afterAll(async () => {
  await db.close()
  await server.stop()
})

it('[STK-31] vacuums no table because of inserted rows if the insert threshold of the server is -1', async () => {
  await db.session(async (session) => {
    await session.run(sql`create table no_rows (n integer)`)
    await session.run(sql`create table grown (n integer)`)
    await session.run(sql`insert into grown select generate_series(1, 5_000)`)
    await session.run(sql`select pg_stat_force_next_flush()`)
  })
  const vacuum = createVacuum({ db, log: silentLog })
  await vacuum.run()
  await vacuum.close()
  expect(
    await db.rows(sql`select relname as name, vacuum_count as vacuums, analyze_count as analyzes
      from pg_stat_user_tables order by name`),
  ).toEqual([
    { name: 'grown', vacuums: 0, analyzes: 1 },
    { name: 'no_rows', vacuums: 0, analyzes: 0 },
  ])
})
