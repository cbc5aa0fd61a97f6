import { setTimeout as sleep } from 'node:timers/promises'
import { type Migration, openDatabase, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SCHEMA_AHEAD } from '../features/sandboxes/index.ts'
import { openServers } from '../operator.ts'
import { type TestPlane, testControlPlanes } from '../testing/control-planes.ts'

const step = (version: number, name: string): Migration => {
  const text = `create table ${name} (id int primary key)`
  return { version, name, text, checksum: name }
}
const OLD = [step(1, 'rooms')]
const NEW = [...OLD, step(2, 'halls')]

describe('an update, in which control planes of two versions serve at the same time', () => {
  let test: Awaited<ReturnType<typeof testControlPlanes>>
  let old: TestPlane
  let key: string
  let id: string
  let host: string
  beforeEach(async () => {
    test = await testControlPlanes()
    old = await test.start(OLD)
    key = await test.newKey(old.plane)
    const created = await old.call({ key, path: '/api/v1/sandboxes', body: { name: 'Updated' } })
    id = created.json.sandboxId
    host = `${created.json.slug}.localhost`
    await expect.poll(async () => (await record(old)).status, { timeout: 20_000 }).toBe('ready')
  })
  afterEach(() => test.drop())

  const record = async (plane: TestPlane) => (await plane.call({ key, path: `/api/v1/sandboxes/${id}` })).json
  const ask = (plane: TestPlane) => plane.call({ host, path: '/' })
  async function tables(): Promise<string[]> {
    const { masterSecret, serverUrl } = test.config
    const options = { control: test.db, masterSecret, serverUrl, migrations: OLD, log: silentLog, entries: [] }
    const url = (await openServers(options)).of('control').url(id)
    const database = openDatabase({ url, log: silentLog, applicationName: 'test', maxConnections: 1 })
    const rows = await database.rows<{ name: string }>(
      sql`select tablename as name from pg_tables where schemaname = 'public' order by 1`,
    )
    await database.close()
    return rows.map(({ name }) => name)
  }

  it('[PLN-10] migrates no database while a control plane of the old version leads, and all when one of the new version leads', async () => {
    const before = await ask(old)
    expect(before.status).toBe(200)
    const next = await test.start(NEW)
    // Both reconcilers run several times meanwhile.
    for (let i = 0; i < 10; i++) {
      for (const plane of [old, next])
        expect(await ask(plane)).toMatchObject({ status: 200, json: { pid: before.json.pid } })
      await sleep(200)
    }
    expect(await record(next)).not.toHaveProperty('migration')
    expect(await tables()).toEqual(['rooms', 'schema_migrations'])
    await old.close()
    await expect.poll(tables, { timeout: 20_000 }).toEqual(['halls', 'rooms', 'schema_migrations'])
    await expect.poll(async () => (await ask(next)).status, { timeout: 20_000 }).toBe(200)
    expect(await record(next)).not.toHaveProperty('migration')
  })

  it('[PLN-10] ends the pause of a sandbox whose database was newer than the leader of the old version', async () => {
    await test.db.run(sql`update sandboxes set migration_target = 1, migration_failure = ${SCHEMA_AHEAD},
      migration_next_at = now() + interval '1 hour', schema_version = 2 where id = ${id}`)
    const next = await test.start(NEW)
    await sleep(1_000)
    expect((await record(next)).migration).toEqual({ from: 2, to: 1, failureReason: SCHEMA_AHEAD })
    await old.close()
    await expect.poll(async () => (await ask(next)).status, { timeout: 20_000 }).toBe(200)
    expect(await record(next)).not.toHaveProperty('migration')
  })
})
