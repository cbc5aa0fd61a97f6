import { setTimeout as sleep } from 'node:timers/promises'
import { readMigrations, sql } from '@storey/kit/database'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from './migrations.ts'
import { seedBuilding } from './seed/seed-building.ts'
import { holdTable } from './testing/hold-table.ts'
import { type StackProcess, startProcess } from './testing/stack-process.ts'
import { seedRequest, serveConfig } from './testing/test-stack.ts'
import { sandboxToken } from './testing/tokens.ts'

const migrations = readMigrations(MIGRATIONS_DIRECTORY)
const running: StackProcess[] = []
const databases: TestDatabase[] = []

function start(command: string, config: unknown): StackProcess {
  const started = startProcess(command, config)
  running.push(started)
  return started
}
async function emptyDatabase(): Promise<TestDatabase> {
  const test = await testDatabase({ migrations })
  databases.push(test)
  return test
}
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL')
    await ended
  }
})
afterAll(async () => {
  for (const test of databases) await test.drop()
})

const seedConfig = (databaseUrl: string) => ({
  ...seedRequest(),
  databaseUrl,
  logLevel: 'warn',
  logForm: 'lines',
  telemetryDays: 0,
})

describe('seed', () => {
  it('fills the database, and reports its progress and its result', async () => {
    const { url, database } = await emptyDatabase()
    const seeding = start('seed', seedConfig(url))
    const { result } = await seeding.waitFor('seeded')
    expect(await seeding.ended).toEqual({ code: 0, signal: null })
    expect(seeding.messages.filter((m) => m.type === 'progress').length).toBeGreaterThan(3)
    expect(await database.row(sql`select id, site_id from buildings`)).toEqual({
      id: result.buildingId,
      site_id: result.siteId,
    })
  })

  it('ends immediately when the control plane has ended, and writes nothing', async () => {
    const { url, database } = await emptyDatabase()
    const held = await holdTable(database, 'buildings')
    const seeding = start('seed', seedConfig(url))
    await seeding.waitFor('progress')
    seeding.child.disconnect()
    expect(await seeding.ended).toEqual({ code: null, signal: 'SIGKILL' })
    await held.release()
    expect(await database.rows(sql`select id from organizations`)).toEqual([])
  })

  it('ends with exit code 1 when it fails', async () => {
    const { url, database } = await emptyDatabase()
    await database.run(sql`insert into organizations (id, name) values ('org_x', 'X')`)
    const seeding = start('seed', seedConfig(url))
    expect(await seeding.ended).toEqual({ code: 1, signal: null })
    expect(seeding.stderr()).toContain('the database already has a building')
  })
})

describe('serve', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await emptyDatabase()
    await seedBuilding(test.database, seedRequest(), () => undefined)
  })

  async function serve(changes = {}) {
    const stack = start('serve', serveConfig(test.url, changes))
    const { port } = await stack.waitFor('listening')
    const headers = { authorization: `Bearer ${await sandboxToken()}` }
    return { ...stack, get: (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { headers }) }
  }

  it('listens on the port that it reports', async () => {
    const { get } = await serve()
    expect((await get('/readyz')).status).toBe(200)
    expect(await (await get('/api/v1/buildings')).json()).toMatchObject({ total: 1 })
  })

  it('uses the request id of the gateway', async () => {
    const stack = start('serve', serveConfig(test.url))
    const { port } = await stack.waitFor('listening')
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { 'x-request-id': 'req_gateway' } })
    expect(answer.headers.get('x-request-id')).toBe('req_gateway')
  })

  it.each([
    ['gets the stop command', ({ child }: StackProcess) => void child.send({ type: 'stop' })],
    ['gets SIGTERM', ({ child }: StackProcess) => void child.kill('SIGTERM')],
    ['loses the control plane', ({ child }: StackProcess) => child.disconnect()],
  ])('stops when it %s', async (_, stop) => {
    const stack = await serve()
    stop(stack)
    expect(await stack.ended).toEqual({ code: 0, signal: null })
  })

  it('stops cleanly when the stop command comes before it listens', async () => {
    const stack = start('serve', serveConfig(test.url))
    stack.child.send({ type: 'stop' })
    expect(await stack.ended).toEqual({ code: 0, signal: null })
    expect(stack.stderr()).toBe('')
  })

  it('ignores Ctrl-C, which the control plane handles', async () => {
    const stack = await serve()
    stack.child.kill('SIGINT')
    await sleep(300)
    expect((await stack.get('/healthz')).status).toBe(200)
  })

  it('completes a running request before it stops, and accepts no new one', async () => {
    const stack = await serve()
    const held = await holdTable(test.database, 'buildings')
    const answer = stack.get('/api/v1/buildings')
    await held.waitedFor()
    stack.child.send({ type: 'stop' })
    await sleep(200)
    await expect(stack.get('/healthz')).rejects.toThrow()
    await held.release()
    expect((await answer).status).toBe(200)
    expect(await stack.ended).toEqual({ code: 0, signal: null })
  })

  it('ends when it exceeds its memory limit', async () => {
    const stack = await serve({ memoryLimitMb: 64 })
    expect(await stack.ended).toEqual({ code: 75, signal: null })
    expect(stack.stderr()).toContain('memory limit exceeded')
  })

  it.each([
    ['behind', migrations.slice(0, -1)],
    ['ahead', [...migrations, { version: migrations.length + 1, name: 'next', text: 'select 1', checksum: 'next' }]],
  ])('[STK-14] does not run on a schema that is %s, and changes nothing', async (state, applied) => {
    const other = await testDatabase({ migrations: applied })
    databases.push(other)
    const stack = start('serve', serveConfig(other.url))
    expect(await stack.waitFor('schema')).toEqual({ type: 'schema', state, version: applied.length })
    expect(await stack.ended).toEqual({ code: 1, signal: null })
    const row = await other.database.row<{ version: number }>(
      sql`select max(version) as version from schema_migrations`,
    )
    expect(row!.version).toBe(applied.length)
  })
})

describe('warm', () => {
  it('compiles the code of a stack, without a configuration, and ends', async () => {
    const warming = start('warm', '')
    expect(await warming.ended).toEqual({ code: 0, signal: null })
    expect(warming.stderr()).toBe('')
  })
})

describe('an invalid start', () => {
  it.each([
    ['serve', { ...serveConfig('postgres://u:hunter2@127.0.0.1/x'), memoryLimitMb: 1, token: {} }],
    ['seed', { ...seedConfig('postgres://u:hunter2@127.0.0.1/x'), until: 'soon', building: null }],
  ])('of %s names every invalid setting, and shows no values', async (command, config) => {
    const stack = start(command, config)
    expect(await stack.ended).toEqual({ code: 1, signal: null })
    const problems = command === 'serve' ? ['memoryLimitMb', 'token'] : ['until', 'building']
    for (const problem of problems) expect(stack.stderr()).toContain(problem)
    expect(stack.stderr()).not.toContain('hunter2')
  })

  it('names the variable that is not JSON, and lists the commands if the command is unknown', async () => {
    const serve = start('serve', '{')
    const unknown = start('unknown', {})
    await Promise.all([serve.ended, unknown.ended])
    expect(serve.stderr()).toContain('STACK_CONFIG is not valid JSON')
    expect(unknown.stderr()).toContain('seed|serve')
  })
})
