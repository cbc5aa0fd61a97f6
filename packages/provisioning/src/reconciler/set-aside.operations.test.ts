import { type Database, identifier, openDatabase, sql } from '@storey/kit/database'
import type { EmbeddedPostgres } from '@storey/kit/embedded-postgres'
import { silentLog } from '@storey/kit/log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { moveSandbox } from '../move/index.ts'
import type { TenantServers } from '../tenants/index.ts'
import { testControlPlane } from '../testing/control-plane.ts'
import { startServers } from '../testing/postgres-servers.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const migrations = [{ version: 1, name: 'rooms', text: 'create table rooms (id int primary key)', checksum: 'rooms' }]

describe('a database that a reset has set aside, after its sandbox was moved to another server', () => {
  let postgres: EmbeddedPostgres[]
  let test: Awaited<ReturnType<typeof testControlPlane>>
  let servers: TenantServers
  let key: string
  let tag: string
  beforeAll(async () => {
    postgres = await startServers(2)
    const tenantServers = postgres.map(({ url }) => new URL(url))
    test = await testControlPlane({ tenantServers, tickMs: 50 }, silentLog)
    servers = await test.servers()
    key = await test.newKey()
    tag = (await test.control.row<{ tag: string }>(sql`select tag from installation`))!.tag
  })
  afterAll(async () => {
    await servers.close()
    await test.drop()
    await Promise.all(postgres.map((server) => server.stop()))
  })

  /** A sandbox that was moved to another server after a pending reset had set its database aside. */
  async function movedSandbox() {
    const { sandboxId: id } = await test.create(key)
    await test.waitWhileProvisioning(key, id)
    await test.stop()
    test.clock.advance(1_000)
    const now = test.clock.now()
    await test.control.run(sql`update installation set trusted_at = ${now}`)
    await test.control.run(sql`update sandboxes set status = 'provisioning', requested_at = ${now} where id = ${id}`)
    test.clock.advance(5 * MINUTE_MS)
    await test.start()
    expect(await test.waitWhileProvisioning(key, id)).toMatchObject({ status: 'ready' })
    const row = await test.control.row<{ from: string }>(sql`select server_id as from from sandboxes where id = ${id}`)
    const { from } = row!
    const to = servers.list().find((server) => server.id !== 'control' && server.id !== from)!.id!
    const deps = { control: test.control, operator: 'tester', servers, migrations, log: silentLog }
    await moveSandbox({ ...deps, stopStack: async () => undefined, print: () => undefined }, id, to)
    const url = new URL(servers.of(from).url(id))
    const admin = postgres.find((server) => new URL(server.url).port === url.port)!.url
    return { id, admin, role: `storey_${tag}_${id}` }
  }
  async function atServer<T>(url: string, work: (admin: Database) => Promise<T>): Promise<T> {
    const admin = openDatabase({ url, log: silentLog, applicationName: 'test', maxConnections: 1 })
    return await work(admin).finally(() => admin.close())
  }
  /** The databases whose names begin with the name of this role, and the text 'role' if the role exists there too. */
  const namesOn = (url: string, role: string) =>
    atServer(url, async (admin) => {
      const rows = await admin.rows<{ name: string }>(sql`
        select datname as name from pg_database where starts_with(datname, ${role})
        union all select 'role' from pg_roles where rolname = ${role} order by 1`)
      return rows.map(({ name }) => name)
    })
  const remove = async (id: string) => {
    expect((await test.call({ key, path: `/api/v1/sandboxes/${id}`, method: 'DELETE' })).status).toBe(204)
  }

  it('[SBX-81] is dropped when the sandbox is deleted', async () => {
    const { id, admin, role } = await movedSandbox()
    expect(await namesOn(admin, role)).toEqual(['role', expect.stringContaining('_replaced_')])
    await test.plane().reconciler.sweep()
    expect(await namesOn(admin, role)).toHaveLength(2)
    await remove(id)
    expect(await namesOn(admin, role)).toEqual(['role'])
    await test.plane().reconciler.sweep()
    expect(await namesOn(admin, role)).toEqual([])
  })

  it('[SBX-81] is quarantined with its role if it could not be dropped at the deletion', async () => {
    const { id, admin, role } = await movedSandbox()
    const [, aside] = await namesOn(admin, role)
    const setTemplate = (isTemplate: boolean) =>
      atServer(admin, (db) =>
        db.run(sql`alter database ${identifier(aside!)} is_template ${isTemplate ? sql`true` : sql`false`}`),
      )
    await setTemplate(true)
    await remove(id)
    await setTemplate(false)
    expect(await test.plane().reconciler.sweep()).toMatchObject([{ id, kinds: ['role'], isUnneeded: false }])
    expect(await namesOn(admin, role)).toEqual(['role', aside])
    test.clock.advance(15 * DAY_MS)
    await test.plane().reconciler.sweep()
    expect(await namesOn(admin, role)).toEqual([])
  })
})
