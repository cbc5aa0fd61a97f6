import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EmbeddedPostgres } from '@storey/kit/embedded-postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWriters, type Writer } from '../../chaos/writers.ts'
import { startServers } from '../../packages/provisioning/src/testing/postgres-servers.ts'
import { call } from '../system/call.ts'
import { actorsAt, startInstalled } from '../system/shared.ts'
import { freePort, type System } from '../system/system.ts'

/** Long, because a test starts and kills several commands, each in a process of its own. */
const LIMIT_MS = 300_000

interface Server {
  id: string
  address: string
  isUp: boolean
  sandboxes: number
}

describe('a service with several PostgreSQL servers', () => {
  let postgres: EmbeddedPostgres[]
  let system: System
  let key: string
  let sandbox: Awaited<ReturnType<ReturnType<typeof actorsAt>['newSandbox']>>
  let writers: Writer[] = []
  beforeAll(async () => {
    postgres = await startServers(2, {})
    for (const { url } of postgres)
      await withAdmin(url, `create role keeper login createdb createrole password 'secret'`)
    const urls = postgres.map((server) => {
      const url = new URL(server.url)
      url.username = 'keeper'
      return url.href
    })
    system = await startInstalled({
      env: {
        TENANT_DATABASE_URLS: urls.join(','),
        ...{ MQTT_ENABLED: 'true', MQTT_PORT: `${await freePort()}` },
        ...{ RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' },
      },
    })
    key = await actorsAt(system).operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
    sandbox = await actorsAt(system).newSandbox(key, { seedTelemetryDays: 1 })
  })
  afterAll(async () => {
    await system.remove()
    await Promise.all(postgres.map((server) => server.stop()))
  })

  async function withAdmin(url: string, statement: string): Promise<void> {
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query(statement).finally(() => admin.end())
  }
  const operator = (...args: string[]) => actorsAt(system).operator(...args)
  const servers = async (): Promise<Server[]> => JSON.parse(await operator('server', 'list', '--json'))
  const placeOf = async () => (await servers()).find(({ sandboxes }) => sandboxes > 0)!.id
  const leftovers = async () => JSON.parse(await operator('leftovers', '--json')).leftovers as object[]
  const ask = () => call(`${sandbox.connection.apiUrl}/api/v1/buildings`, { token: sandbox.connection.token })
  const untilBothWrite = async (since: number) => {
    for (const { acknowledgedSince } of writers)
      await expect.poll(() => acknowledgedSince(since), { timeout: 60_000 }).toBeDefined()
  }

  /** Runs `operator sandbox move`, and kills it `delayMs` after it has printed `text`. */
  async function killedMove(to: string, text: string, delayMs: number): Promise<string> {
    const args = ['packages/host/src/operator/main.ts', 'sandbox', 'move', sandbox.record.sandboxId, '--to', to]
    const child = spawn(process.execPath, args, {
      env: system.env as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const ended = new Promise((resolve) => child.once('close', resolve))
    let isKilling = false
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (piece: string) => {
        output += piece
        if (isKilling || !output.includes(text)) return
        isKilling = true
        void sleep(delayMs).then(() => child.kill('SIGKILL'))
      })
    }
    await ended
    return output
  }

  it(
    '[OPR-12, OPR-13] moves a sandbox under ingest and loses nothing, even after earlier moves were killed',
    async () => {
      writers = await startWriters(sandbox.connection, 'test')
      await untilBothWrite(Date.now())
      const instants: [string, number][] = [
        ['Copied', 0],
        ['Pausing', 0],
        ['Pausing', 300],
      ]
      for (const [text, delayMs] of instants) {
        const output = await killedMove(await otherOf(), text, delayMs)
        expect(output).toContain(text)
        const since = Date.now()
        await expect.poll(async () => (await ask()).status, { timeout: 60_000 }).toBe(200)
        await untilBothWrite(since)
      }
      const target = await otherOf()
      const moved = JSON.parse(await operator('sandbox', 'move', sandbox.record.slug, '--to', target, '--json'))
      expect(moved).toMatchObject({ id: sandbox.record.sandboxId, to: target, isSourceDropped: true })
      await untilBothWrite(Date.now())
      for (const writer of writers) await writer.stop()
      for (const { name, observed, answers } of writers) {
        const compared = await observed.compare()
        expect(compared, name).toMatchObject({ lost: 0, duplicated: 0, changed: 0 })
        expect(compared.acknowledged).toBeGreaterThan(100)
        for (const answer of answers.keys()) expect(answer, name).not.toMatch(/without Retry-After|refused/)
      }
      expect(await placeOf()).toBe(target)
      const audit = JSON.parse(await operator('audit', '--operator', '--limit', '1', '--json'))
      expect(audit[0]).toMatchObject({ command: 'sandbox move', subject: sandbox.record.sandboxId })
    },
    LIMIT_MS,
  )

  const otherOf = async () => {
    const here = await placeOf()
    return (await servers()).find(({ id }) => id !== 'control' && id !== here)!.id
  }

  it('[HST-88] leaves the servers to another control database that has used them since, until the operator claims them', async () => {
    const { sandboxId, slug } = sandbox.record
    for (const { url } of postgres)
      await withAdmin(
        url,
        `do $$ begin execute (select format('comment on role %I is %L', rolname, 'generation ofanother')
          from pg_roles where rolname ~ '^storey_.*_server_'); end $$`,
      )
    const refusal = (...args: string[]) => operator(...args).catch((err) => `${err.code} ${err.stderr}${err.stdout}`)
    for (const args of [
      ['sandbox', 'move', slug, '--to', await otherOf()],
      ['sandbox', 'delete', slug, '--yes'],
    ])
      expect(await refusal(...args)).toMatch(/^1 operator: Another control database has used the database server srv_/)
    const ready = async () => (await call(`${system.url}/readyz`)).json
    await expect
      .poll(ready, { timeout: 30_000 })
      .toMatchObject({ status: 'ready', databaseServersOfOthers: [expect.any(String), expect.any(String)] })
    expect(await refusal('doctor')).toContain('another control database has used it more recently')
    expect(await operator('server', 'list')).toContain('run operator server claim')
    expect((await ask()).status).toBe(200)

    expect(await refusal('server', 'claim')).toContain('--yes is missing')
    expect(await operator('server', 'claim', '--yes')).toMatch(
      /^Claimed srv_\w+, srv_\w+ for this control database\.$/m,
    )
    await expect.poll(ready, { timeout: 30_000 }).not.toHaveProperty('databaseServersOfOthers')
    expect(await operator('server', 'claim', '--yes')).toContain('belong to this control database already')
    const audit = JSON.parse(await operator('audit', '--operator', '--limit', '1', '--json'))
    expect(audit[0]).toMatchObject({ command: 'server claim' })
    expect(JSON.parse(await operator('sandbox', 'list', '--json'))).toContainEqual(
      expect.objectContaining({ id: sandboxId, status: 'ready' }),
    )
  })

  it('[OPR-09, HST-81] reports that a server is unavailable, and serves the sandboxes of the other server', async () => {
    const away = await otherOf()
    const findings = async () => {
      const { findings } = JSON.parse(await operator('doctor', '--json').catch((err) => err.stdout))
      const ofServers = findings.filter(({ area }: { area: string }) => area === 'database servers')
      return ofServers.map(({ level, text }: { level: string; text: string }) => `${level}: ${text}`) as string[]
    }
    const fine = await findings()
    expect(fine.filter((text) => !text.startsWith('ok'))).toEqual([])
    expect(fine.join('\n')).toContain(away)
    expect(await leftovers()).toEqual([])
    const { address } = (await servers()).find(({ id }) => id === away)!
    await postgres.find(({ url }) => new URL(url).host === address)!.stop()
    const ready = async () => (await call(`${system.url}/readyz`)).json
    await expect.poll(ready, { timeout: 30_000 }).toMatchObject({ status: 'ready', databaseServersUnavailable: [away] })
    expect(await findings()).toContainEqual(expect.stringContaining(`problem: ${away} (${address}) is unavailable`))
    expect(system.output()).toContain('database server unavailable')
    expect((await ask()).status).toBe(200)
    expect((await servers()).find(({ id }) => id === away)).toMatchObject({ isUp: false })
    const refused = await operator('sandbox', 'move', sandbox.record.slug, '--to', away).catch((err) => err)
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`The database server ${away} is unavailable`),
    })
  })
})
