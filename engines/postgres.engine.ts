import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { freePort, type System, startSystem } from '../acceptance/system/system.ts'
import { startWriters, type Writer } from '../chaos/writers.ts'
import { forwardPort } from './forward-port.ts'
import { startPatroni } from './postgres/patroni.ts'
import { POOLER_ROLE, poolerPrograms, startPooler } from './postgres/pgbouncer.ts'
import { createPostgres, type PostgresServer } from './postgres/server.ts'
import { runSuite, type Suite } from './suite.ts'
import { until } from './until.ts'

/**
 * Checks the service on PostgreSQL. On the versions 15 to 18, with verified TLS: the lifecycle of a sandbox and, while
 * observations arrive over REST and MQTT, the end of all connections and a restart. On the newest version also a minute
 * without the server, and a failover by hand to a streaming standby. Then a move of a sandbox to another version,
 * failovers by Patroni, and PgBouncer.
 */

const VERSIONS = ['15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17', '18.4.0-beta.17']
const LIMIT_SECONDS = 10

/** All databases and roles of the installation, except the control database and its role. */
const REMAINS =
  "select datname as name from pg_database where datname like 'storey\\_%' union all select rolname from pg_roles where rolname like 'storey\\_%' order by 1"

const addressOf = (port: number, query = '') => `postgres://storey:storey@localhost:${port}/storey${query}`

/** A started server with the role and the database of the service. */
async function startPostgres(suite: Suite, npmVersion: string): Promise<PostgresServer> {
  const server = await createPostgres(npmVersion)
  suite.onEnd(() => server.remove())
  await server.start()
  await server.ask("create role storey login createdb createrole password 'storey'")
  await server.ask("create database storey owner storey encoding 'UTF8'")
  return server
}

const VERIFIED = '?sslmode=verify-full'

async function startOn(server: PostgresServer, port = server.port, query = VERIFIED): Promise<System> {
  return await startAt(addressOf(port, query), server.authority.certificate)
}

async function startAt(databaseUrl: string, authority: string, env: Record<string, string> = {}): Promise<System> {
  return startSystem({
    env: {
      DATABASE_URL: databaseUrl,
      NODE_EXTRA_CA_CERTS: authority,
      MQTT_ENABLED: 'true',
      MQTT_PORT: `${await freePort()}`,
      RATE_LIMIT_PER_MINUTE: '0',
      SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'info',
      ...env,
    },
  })
}

async function checkLife(suite: Suite, server: PostgresServer, system: System, isEncrypted = true): Promise<void> {
  const { operator, newSandbox, api } = actorsOf(system)
  const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')

  await suite.check('a sandbox is created with history, read, reset and removed, and nothing is left', async () => {
    const before = await server.ask(REMAINS)
    const { record, connection } = await newSandbox(key, { seedTelemetryDays: 2 })
    const base = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`
    const points = await call(`${base}/points?limit=1`, { token: connection.token })
    const pointId = points.json.data[0].id
    const from = new Date(Date.now() - 86_400_000).toISOString()
    const history = await call(`${base}/telemetry/observations?pointId=${pointId}&from=${from}`, {
      token: connection.token,
    })
    assert.equal(history.status, 200)
    const encrypted = await server.ask(
      'select bool_and(coalesce(s.ssl, false)) as all from pg_stat_activity a left join pg_stat_ssl s using (pid) where backend_type = $$client backend$$',
    )
    if (isEncrypted) assert.equal(encrypted[0]!.all, true)
    const reset = await api(key, `/api/v1/sandboxes/${record.sandboxId}/reset`, { method: 'POST', body: {} })
    assert.equal(reset.status, 202)
    await until('the sandbox is ready again', async () => {
      const { json } = await api(key, `/api/v1/sandboxes/${record.sandboxId}`)
      return json.status === 'ready'
    })
    const removed = await api(key, `/api/v1/sandboxes/${record.sandboxId}`, { method: 'DELETE' })
    assert.ok(removed.status < 300, `${removed.status}`)
    await until('its database and role are gone', async () => {
      const after = await server.ask(REMAINS)
      return JSON.stringify(after) === JSON.stringify(before)
    })
  })
}

/**
 * Writes while `happen` does something to the database. Reports what was stored, and after how long writing worked
 * again.
 */
async function writingDuring(system: System, happen: () => Promise<void>): Promise<string> {
  const { operator, newSandbox } = actorsOf(system)
  const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
  const writers: Writer[] = await startWriters((await newSandbox(key)).connection, 'sandbox')
  await sleep(2_000)
  await happen()
  const back = Date.now()
  const seconds = await until(
    'all writers are acknowledged again',
    () => writers.every((writer) => writer.acknowledgedSince(back) !== undefined),
    60_000,
  )
  await sleep(2_000)
  await Promise.all(writers.map((writer) => writer.stop()))
  const results = await Promise.all(writers.map(({ observed }) => observed.compare()))
  for (const { acknowledged, lost, duplicated, changed } of results) {
    assert.ok(acknowledged > 0)
    assert.deepEqual({ lost, duplicated, changed }, { lost: 0, duplicated: 0, changed: 0 })
  }
  assert.ok(seconds <= LIMIT_SECONDS, `back after ${seconds.toFixed(1)} s`)
  const acknowledged = results.reduce((sum, each) => sum + each.acknowledged, 0)
  return `${acknowledged} acknowledged, 0 lost, 0 duplicated; back after ${seconds.toFixed(1)} s`
}

const END_ALL =
  "select count(pg_terminate_backend(pid)) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'"

async function endConnections(server: PostgresServer): Promise<void> {
  for (let i = 0; i < 5; i++) {
    await server.ask(END_ALL)
    await sleep(1_000)
  }
}

async function checkOutages(suite: Suite, server: PostgresServer, system: System): Promise<void> {
  await suite.check('pg_terminate_backend of all connections, five times', () =>
    writingDuring(system, () => endConnections(server)),
  )
  await suite.check('the server is restarted', () =>
    writingDuring(system, async () => {
      await server.stop()
      await server.start()
    }),
  )
}

async function checkFailover(suite: Suite, npmVersion: string): Promise<void> {
  const primary = await startPostgres(suite, npmVersion)
  const standby = await primary.createStandby()
  suite.onEnd(() => standby.stop('SIGQUIT'))
  await primary.ask("alter system set synchronous_standby_names = 'ANY 1 (*)'")
  await primary.ask('select pg_reload_conf()')
  await until('the standby is synchronous', async () => {
    const [row] = await primary.ask("select count(*)::int as n from pg_stat_replication where sync_state = 'quorum'")
    return row!.n === 1
  })
  // The service uses this address. At a failover an operator makes it lead to the new primary.
  const address = await forwardPort(0, { host: '127.0.0.1', port: primary.port })
  suite.onEnd(() => address.close())
  const system = await startOn(primary, address.port)
  suite.onEnd(() => system.remove())

  await suite.check(
    'failover: the primary is killed under load, the standby is promoted, the address moves',
    async () => {
      const result = await writingDuring(system, async () => {
        await primary.stop('SIGKILL')
        await sleep(2_000)
        await standby.ask('select pg_promote()')
        address.moveTo({ host: '127.0.0.1', port: standby.port })
      })
      const lines = system
        .output()
        .split('\n')
        .filter((line) => /\b(error|fatal)\b/.test(line))
      return `${result}; ${lines.length} error lines`
    },
  )
  await suite.check('60 s without the server', () =>
    writingDuring(system, async () => {
      await standby.stop()
      await sleep(60_000)
      await standby.start()
    }),
  )
}

async function checkPooler(suite: Suite, npmVersion: string): Promise<void> {
  const startBehind = (port: number) => startSystem({ env: { DATABASE_URL: addressOf(port) } })

  for (const program of poolerPrograms()) {
    suite.engine('PgBouncer', program.version)
    const server = await startPostgres(suite, npmVersion)
    await server.ask(POOLER_ROLE)
    await suite.check('PgBouncer in transaction mode: the service refuses to start and reports why', async () => {
      const pooler = await startPooler(program, server.port, 'transaction')
      try {
        await assert.rejects(startBehind(pooler.port), /pooler in transaction mode/)
      } finally {
        await pooler.stop()
      }
    })

    const pooler = await startPooler(program, server.port, 'session')
    suite.onEnd(() => pooler.stop())
    if (!program.canLookUpElsewhere) {
      await suite.check('PgBouncer before 1.19: the service refuses to start and reports what to set', async () => {
        await assert.rejects(startBehind(pooler.port), /auth_dbname \(PgBouncer 1\.19 or later\)/)
      })
      continue
    }
    const system = await startOn(server, pooler.port, '')
    suite.onEnd(() => system.remove())
    await checkLife(suite, server, system, false)
    await suite.check('PgBouncer in session mode: all server connections end, five times', () =>
      writingDuring(system, () => endConnections(server)),
    )
  }
}

/** A sandbox moves between servers of different versions, both with TLS. */
async function checkServers(suite: Suite): Promise<void> {
  const servers = await Promise.all([VERSIONS[0]!, VERSIONS[2]!].map((version) => startPostgres(suite, version)))
  const authorities = join(mkdtempSync(join(tmpdir(), 'storey-authorities-')), 'authorities.pem')
  writeFileSync(authorities, servers.map(({ authority }) => readFileSync(authority.certificate, 'utf8')).join('\n'))
  const addresses = servers.map(({ port }) => addressOf(port, VERIFIED))
  const system = await startAt(addresses[0]!, authorities, { TENANT_DATABASE_URLS: addresses.join(',') })
  suite.onEnd(() => system.remove())
  const { operator } = actorsOf(system)
  const [old, newer] = servers.map(({ version }) => version)

  await suite.check(`a sandbox moves from PostgreSQL ${old} to ${newer} and back, under load`, async () => {
    const pauses: number[] = []
    const result = await writingDuring(system, async () => {
      const [sandbox] = JSON.parse(await operator('sandbox', 'list', '--json'))
      const all: { id: string }[] = JSON.parse(await operator('server', 'list', '--json'))
      const there = all.find(({ id }) => id !== sandbox.serverId)!.id
      for (const to of [there, sandbox.serverId]) {
        const moved = JSON.parse(await operator('sandbox', 'move', sandbox.id, '--to', to, '--json'))
        pauses.push(moved.pausedMs)
      }
    })
    return `${result}; paused for ${pauses.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(' and ')}`
  })
}

/** Checks a cluster that chooses its primary by itself, behind an address that always leads to the primary. */
async function checkPatroni(suite: Suite): Promise<void> {
  const cluster = await startPatroni()
  suite.onEnd(() => cluster.remove())
  suite.engine('Patroni', cluster.version)
  await cluster.ask("create role storey login createdb createrole password 'storey'")
  await cluster.ask("create database storey owner storey encoding 'UTF8'")
  const system = await startAt(addressOf(cluster.port, VERIFIED), cluster.authority)
  suite.onEnd(() => system.remove())

  for (const round of ['first', 'second']) {
    await suite.check(`the primary is killed under load, and Patroni chooses another: the ${round} time`, async () => {
      const lost = (await cluster.primary())!
      let seconds = 0
      const result = await writingDuring(system, async () => {
        await cluster.kill(lost)
        const isReplaced = async () => ![lost, undefined].includes(await cluster.primary())
        seconds = await until('another node is primary', isReplaced, 60_000)
      })
      await cluster.start(lost)
      await cluster.untilWhole()
      return `${result}; chosen after ${seconds.toFixed(1)} s`
    })
  }
}

await runSuite('postgres', async (suite) => {
  const [only] = process.argv.slice(3)
  for (const npmVersion of VERSIONS.filter((each) => only === undefined || each.startsWith(only))) {
    const server = await startPostgres(suite, npmVersion)
    suite.engine('PostgreSQL', server.version)
    const system = await startOn(server)
    suite.onEnd(() => system.remove())
    await checkLife(suite, server, system)
    await checkOutages(suite, server, system)
    await system.stop()
    await server.stop()
  }
  if (only === undefined || only === 'failover') await checkFailover(suite, VERSIONS.at(-1)!)
  if (only === undefined || only === 'pooler') await checkPooler(suite, VERSIONS.at(-1)!)
  if (only === undefined || only === 'servers') await checkServers(suite)
  if (only === undefined || only === 'patroni') await checkPatroni(suite)
})
process.exit()
