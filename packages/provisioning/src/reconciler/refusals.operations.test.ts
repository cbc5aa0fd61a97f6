import { identifier, readMigrations, type Sql, sql, withDatabaseName } from '@storey/kit/database'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CONTROL_MIGRATIONS } from '../migrations.ts'
import { explainRefusals } from '../tenants/refusals.ts'
import { isInUse } from '../tenants/tenants.store.ts'
import { testControlPlane } from '../testing/control-plane.ts'

const REASON = 'The role in DATABASE_URL must be allowed to create databases and roles (CREATEDB, CREATEROLE)'

describe('a service whose role has no superuser rights', () => {
  const role = identifier(`admin_${process.pid}_rights`)
  let server: TestDatabase
  let test: Awaited<ReturnType<typeof testControlPlane>>
  let lines: Record<string, unknown>[]
  beforeAll(async () => {
    server = await testDatabase({ migrations: readMigrations(CONTROL_MIGRATIONS) })
    const url = new URL(server.url)
    await run(sql`create role ${role} login createdb createrole password 'secret'`)
    await run(sql`alter database ${identifier(url.pathname.slice(1))} owner to ${role}`)
    for (const kind of [sql`tables`, sql`sequences`])
      await run(sql`grant all on all ${kind} in schema public to ${role}`)
    url.username = `admin_${process.pid}_rights`
    url.password = 'secret'
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) })
    test = await testControlPlane({ serverUrl: url.href }, log)
  })
  beforeEach(() => {
    lines = []
  })
  afterAll(async () => {
    await test.drop()
    await server.drop()
  })

  const run = (statement: Sql) => server.database.run(statement)
  const path = (sandboxId: string, rest = '') => `/api/v1/sandboxes/${sandboxId}${rest}`
  const grant = () => run(sql`alter role ${role} createdb createrole`)

  it.each([
    ['databases', sql`nocreatedb`],
    ['roles', sql`nocreaterole`],
    ['databases and roles', sql`nocreatedb nocreaterole`],
  ])(
    '[SBX-27, SBX-66] fails a new sandbox if the service may no longer create %s, logs the reason once, and creates the sandbox at a later reset',
    async (_, lost) => {
      const key = await test.newKey()
      await run(sql`alter role ${role} ${lost}`)
      const { sandboxId } = await test.create(key)
      expect(await test.waitWhileProvisioning(key, sandboxId)).toMatchObject({
        status: 'failed',
        failureReason: REASON,
      })
      expect(lines).toEqual([
        expect.objectContaining({ level: 50, sandboxId, reason: REASON, msg: 'provisioning failed' }),
      ])
      expect(JSON.stringify(lines)).not.toContain('    at ')
      await grant()
      expect((await test.call({ key, path: path(sandboxId, '/reset'), method: 'POST' })).status).toBe(202)
      expect(await test.waitWhileProvisioning(key, sandboxId)).toMatchObject({ status: 'ready' })
      expect((await test.call({ key, path: path(sandboxId), method: 'DELETE' })).status).toBe(204)
    },
  )

  it('[SBX-66] logs one line for a removal that is retried, and removes the sandbox once the rights are granted', async () => {
    const key = await test.newKey()
    const { sandboxId } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    await run(sql`alter role ${role} nocreaterole`)
    const removed = test.call({ key, path: path(sandboxId), method: 'DELETE' })
    await expect.poll(() => lines.length).toBe(1)
    await test.plane().reconciler.untilRemoved(sandboxId, 500)
    expect(lines).toEqual([
      expect.objectContaining({ level: 50, sandboxId, reason: REASON, msg: 'sandbox work interrupted, retrying' }),
    ])
    await grant()
    expect((await removed).status).toBe(204)
  })

  it('[SBX-66] fails a reset of a ready sandbox if the service may no longer create roles, and later drops the remaining role of the sandbox', async () => {
    const key = await test.newKey()
    const { sandboxId } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    await run(sql`alter role ${role} nocreaterole`)
    expect((await test.call({ key, path: path(sandboxId, '/reset'), method: 'POST' })).status).toBe(202)
    expect(await test.waitWhileProvisioning(key, sandboxId)).toMatchObject({ status: 'failed', failureReason: REASON })
    await grant()
    expect(await test.plane().reconciler.sweep()).toMatchObject([{ id: sandboxId, kinds: ['role'], isUnneeded: true }])
    expect(await test.plane().reconciler.sweep()).toEqual([])
  })

  it('[SBX-66] starts the stack of a ready sandbox with the current password of the sandbox’s role if the service may no longer create roles', async () => {
    const key = await test.newKey()
    const { sandboxId, slug } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    await run(sql`alter role ${role} nocreatedb nocreaterole`)
    expect((await test.call({ host: `${slug}.localhost`, path: '/' })).status).toBe(200)
    expect(lines).toEqual([
      expect.objectContaining({ level: 40, sandboxId, msg: 'password of sandbox role not reset' }),
    ])
    await grant()
  })

  /** A session of the superuser in the database of a sandbox, or in the template database. */
  async function connectTo(suffix: string): Promise<pg.Client> {
    const { tag } = (await server.database.row<{ tag: string }>(sql`select tag from installation`))!
    const found = await server.database.row<{ name: string }>(
      sql`select datname as name from pg_database where starts_with(datname, ${`storey_${tag}_${suffix}`})`,
    )
    await run(sql`alter database ${identifier(found!.name)} allow_connections true`)
    const client = new pg.Client({ connectionString: withDatabaseName(server.url, found!.name) })
    client.on('error', () => undefined)
    await client.connect()
    return client
  }
  const stepOf = async (key: string, sandboxId: string): Promise<string> =>
    (await test.call({ key, path: path(sandboxId) })).json.progress?.step
  const attemptsOf = async (sandboxId: string) =>
    (await test.control.row<{ attempts: number }>(sql`select attempts from sandboxes where id = ${sandboxId}`))!
      .attempts
  const ticks = () => new Promise((resolve) => setTimeout(resolve, 10 * test.config.tickMs!))

  it('[SBX-67] delays a reset while a superuser has a session in the database, and finishes the reset when the session has ended', async () => {
    const key = await test.newKey()
    const { sandboxId } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    const session = await connectTo(sandboxId)
    expect((await test.call({ key, path: path(sandboxId, '/reset'), method: 'POST' })).status).toBe(202)
    await expect.poll(() => stepOf(key, sandboxId)).toBe('Waiting for another session to leave the database')
    await ticks()
    expect(await stepOf(key, sandboxId)).toBe('Waiting for another session to leave the database')
    expect(await attemptsOf(sandboxId)).toBeLessThan(2)
    expect(lines).toEqual([
      expect.objectContaining({ sandboxId, reason: 'another session uses the database', level: 50 }),
    ])
    await session.end()
    expect(await test.waitWhileProvisioning(key, sandboxId)).toMatchObject({ status: 'ready' })
  })

  it('[SBX-67] delays a creation while a superuser has a session in the template database', async () => {
    const key = await test.newKey()
    const session = await connectTo('template_')
    const { sandboxId } = await test.create(key)
    await expect.poll(() => stepOf(key, sandboxId), { timeout: 15_000 }).toMatch(/^Waiting for another session/)
    await session.end()
    await expect.poll(() => stepOf(key, sandboxId), { timeout: 15_000 }).toBe('Ready')
  })

  it('[SBX-67] delays a removal while a superuser has a session in the database, logs one line, and removes the sandbox when the session has ended', async () => {
    const key = await test.newKey()
    const { sandboxId } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    const session = await connectTo(sandboxId)
    const removed = test.call({ key, path: path(sandboxId), method: 'DELETE' })
    await expect.poll(() => lines.length).toBe(1)
    await ticks()
    expect(lines).toHaveLength(1)
    await session.end()
    expect((await removed).status).toBe(204)
  })

  it('[SBX-67] repeats a statement that was refused because of a session that has ended meanwhile', async () => {
    const key = await test.newKey()
    const { sandboxId } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    const session = await connectTo(sandboxId)
    const { rows } = await session.query('select current_database() as name')
    const admin = test.control
    let refusals = 0
    const drop = async () => {
      try {
        await admin.run(sql`drop database ${identifier(rows[0].name)} with (force)`)
      } catch (err) {
        refusals++
        await session.end()
        await expect.poll(() => isInUse(admin, [rows[0].name])).toBe(false)
        throw err
      }
    }
    await explainRefusals({ admin, setting: 'DATABASE_URL' }, [rows[0].name], drop)
    expect(refusals).toBe(1)
  })
})
