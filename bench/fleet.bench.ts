import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '@storey/kit/database'
import { startEmbeddedPostgres } from '@storey/kit/embedded-postgres'
import { silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import pg from 'pg'
import { actorsOf, SMALL } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { freePort, startSystem } from '../acceptance/system/system.ts'
import { listTenants, markBehind, statusCounts } from '../packages/provisioning/src/features/sandboxes/index.ts'
import { readLoads } from '../packages/provisioning/src/tenants/index.ts'
import { atRate, callFrom, percentile } from './at-rate.ts'
import { fillFleet } from './fleet-rows.ts'
import { cpuSeconds, memoryMb, peakMemoryMb } from './processes.ts'
import { type Figure, median, report, timed } from './report.ts'
import { countStolenTime } from './stolen-time.ts'

/**
 * Measures whether the control plane starts, and lists, creates, expires and wakes sandboxes, as quickly with 100,000
 * sandboxes on one machine as with a few thousand. Everything is real with three exceptions: seeding writes nothing,
 * one process serves all sandboxes (both in fleet-runtime.ts), and the databases of the sandboxes that are added as
 * rows have no files (fleet-rows.ts). Each figure is measured first with 2,500 sandboxes and then with
 * `BENCH_SANDBOXES` (100,000), and the two are compared.
 */

const MANY = Number(process.env.BENCH_SANDBOXES ?? 100_000)
const FEW = 2_500
const PER_SECOND = 100
const LISTS = 500
const CREATES = 200
const EXPIRIES = 1_000
const WAKES = 1_000
const PAUSE_BEFORE_IDLE_S = 30
const IDLE_S = 45

const stolen = countStolenTime()
const folder = temporaryFolder('storey-fleet')
chmodSync(folder, 0o711)
const postgres = await startEmbeddedPostgres({
  folder: join(folder, 'postgres'),
  password: 'fleet',
  log: silentLog,
  // Enough for a thousand awake stacks: the control plane reserves connections for each stack, although none is opened
  // here.
  settings: { max_connections: '6000' },
})
const postmaster = Number(readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
const connect = async (url: string) => {
  const client = new pg.Client(url)
  await client.connect()
  return client
}
const admin = await connect(postgres.url)
await admin.query('create database fleet')
await admin.end()
const databaseUrl = postgres.url.replace(/\/postgres$/, '/fleet')
const [port, metricsPort] = [await freePort(), await freePort()]
const dataDir = join(folder, 'data')
const env = {
  DATABASE_URL: databaseUrl,
  METRICS_PORT: `${metricsPort}`,
  MAX_ACTIVE_SANDBOXES: '10000',
  PROVISIONING_RATE_LIMIT_PER_MINUTE: '0',
}
const start = () => timed(() => startSystem({ dataDir, port, env, program: 'bench/fleet-service.ts' }))

type System = Awaited<ReturnType<typeof startSystem>>
type Figures = Record<string, number>

const addressOf = (i: number) => `127.0.0.${2 + (i % 50)}`
const slugOf = (control: pg.Client, ids: readonly string[]): Promise<string[]> =>
  control
    .query('select slug from sandboxes where id = any($1)', [ids])
    .then(({ rows }) => rows.map(({ slug }) => slug as string))

async function longestBlock({ pid }: System): Promise<number> {
  process.kill(pid, 'SIGUSR2')
  await sleep(500)
  return Number(readFileSync(join(dataDir, 'longest-block'), 'utf8'))
}

async function cpuDuring(system: System, work: () => Promise<unknown>): Promise<{ control: number; postgres: number }> {
  const read = () => [cpuSeconds(system.pid)['control plane'], cpuSeconds(postmaster).total] as const
  const before = read()
  await work()
  const after = read()
  return { control: after[0] - before[0], postgres: after[1] - before[1] }
}

/** Resolves when all these sandboxes are expired. `wake` makes the reconciler run now instead of at its next tick. */
async function expireAll(control: pg.Client, due: readonly string[], wake: () => Promise<void>): Promise<void> {
  await wake()
  const expired = 'select count(*)::int as count from sandboxes where expired_at is not null and id = any($1)'
  while ((await control.query(expired, [due])).rows[0].count < due.length) await sleep(20)
}

async function measure(system: System, control: pg.Client, ids: readonly string[]): Promise<Figures> {
  const { operator, api } = actorsOf(system)
  const fleetKey = await operator('key', 'mint', '--org', 'org_fleet1', '--scope', 'sandbox')
  const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
  const figures: Figures = {}

  const listOnce = async () => {
    const { status, text } = await api(fleetKey, '/api/v1/sandboxes?limit=50')
    if (status !== 200) throw new Error(text)
  }
  const lists: number[] = []
  for (let i = 0; i < LISTS; i++) lists.push((await timed(listOnce)).seconds * 1000)
  figures['a page of the list, p99 (ms)'] = percentile(lists, 0.99)

  const scrapes: number[] = []
  for (let i = 0; i < 20; i++) {
    scrapes.push((await timed(() => call(`http://127.0.0.1:${metricsPort}/metrics`))).seconds * 1000)
  }
  figures['a scrape of the metrics, median (ms)'] = median(scrapes)

  await sleep(PAUSE_BEFORE_IDLE_S * 1000)
  figures['longest block of the event loop since the start, with a sweep (ms)'] = await longestBlock(system)
  figures['CPU time of the control plane for all this (s)'] = cpuSeconds(system.pid)['control plane']
  const idle = await cpuDuring(system, () => sleep(IDLE_S * 1000))
  figures['idle, control plane and PostgreSQL (% of a processor)'] = ((idle.control + idle.postgres) / IDLE_S) * 100
  figures['memory of the control plane (MB)'] = memoryMb(system.pid)

  const create = async (i: number) =>
    await callFrom(addressOf(i), `${system.url}/api/v1/sandboxes`, 202, { token: key, body: { name: 'New', ...SMALL } })
  const creating = await timed(async () => {
    figures[`a creation accepted, ${PER_SECOND} a second, p99 (ms)`] = percentile(
      await atRate(PER_SECOND, CREATES, create),
      0.99,
    )
    const waiting = `select 1 from sandboxes where status = 'provisioning' limit 1`
    while ((await control.query(waiting)).rowCount) await sleep(50)
  })
  figures[`${CREATES} creations until all are ready (s)`] = creating.seconds

  const due = ids.slice(WAKES, WAKES + EXPIRIES)
  await control.query(`update sandboxes set expires_at = now() - interval '1 second' where id = any($1)`, [due])
  await longestBlock(system)
  let expirySeconds = 0
  const expiring = await cpuDuring(system, async () => {
    expirySeconds = (await timed(() => expireAll(control, due, () => create(0)))).seconds
  })
  figures[`${EXPIRIES} sandboxes expire (s)`] = expirySeconds
  figures['CPU time for these, control plane and PostgreSQL (s)'] = expiring.control + expiring.postgres
  figures['longest block of the event loop meanwhile (ms)'] = await longestBlock(system)

  const slugs = await slugOf(control, ids.slice(0, WAKES))
  const urls = slugs.map((slug) => system.url.replace('localhost', `${slug}.localhost`))
  let wakes: number[] = []
  const waking = await cpuDuring(system, async () => {
    wakes = await atRate(PER_SECOND, WAKES, (i) => callFrom(addressOf(i), `${urls[i]}/healthz`, 200))
  })
  figures[`a wake, ${PER_SECOND} a second, median (ms)`] = median(wakes)
  figures[`a wake, ${PER_SECOND} a second, p99 (ms)`] = percentile(wakes, 0.99)
  figures['CPU time for a wake, control plane (ms)'] = (waking.control / WAKES) * 1000
  figures['CPU time for a wake, PostgreSQL (ms)'] = (waking.postgres / WAKES) * 1000
  figures['peak memory of the control plane (MB)'] = peakMemoryMb(system.pid)
  return figures
}

/** Measures the statements that read all sandboxes: they take longer the more sandboxes there are. */
async function printGrowing(): Promise<void> {
  const db = openDatabase({ url: databaseUrl, log: silentLog, applicationName: 'bench', maxConnections: 1 })
  const { rows } = await control.query('select max(schema_version) as version from sandboxes')
  const statements: [what: string, run: () => Promise<unknown>][] = [
    ['counts by status, for a scrape', () => statusCounts(db)],
    ['sandboxes with an old schema, at a start', () => markBehind(db, rows[0].version)],
    ['loads of database servers, for placements', () => readLoads(db)],
    ['all sandboxes, for sessions at an external MQTT broker', () => listTenants(db)],
  ]
  for (const [what, run] of statements) {
    const times: number[] = []
    for (let i = 0; i < 5; i++) times.push((await timed(run)).seconds * 1000)
    process.stdout.write(`${what}: ${median(times).toFixed(1)} ms with ${MANY} sandboxes\n`)
  }
  await db.close()
}

/**
 * The limit of the ratio between a figure with many sandboxes and the same figure with few. It is higher where work or
 * memory must grow with the number of sandboxes: a scrape counts them, and a sweep lists their folders.
 */
const limitOf = (what: string) => (/scrape|memory|for all this/.test(what) ? 3 : 1.5)

let system = (await start()).value
const control = await connect(databaseUrl)
const { operator, newSandbox } = actorsOf(system)
const firstKey = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
const { record } = await newSandbox(firstKey)
const fewIds = await fillFleet(control, join(dataDir, 'fleet'), record.sandboxId, FEW)
await system.stop()

const few = await start()
system = few.value
const before = { 'a start of the service (s)': few.seconds, ...(await measure(system, control, fewIds)) }
await system.stop()
const filled = await timed(() => fillFleet(control, join(dataDir, 'fleet'), record.sandboxId, MANY))
process.stdout.write(`${MANY} sandboxes after ${filled.seconds.toFixed(0)} s\n`)
await control.query('checkpoint')

const many = await start()
system = many.value
const after: Figures = { 'a start of the service (s)': many.seconds, ...(await measure(system, control, filled.value)) }
const figures: Figure[] = Object.entries(before).map(([what, value]) => {
  process.stdout.write(`${what}: ${value.toFixed(1)} with ${FEW}, ${after[what]!.toFixed(1)} with ${MANY} sandboxes\n`)
  return { what, measured: after[what]! / value, limit: limitOf(what), unit: '×' }
})
await printGrowing()
const sizes = await control.query(`select pg_total_relation_size('sandboxes') / count(*) as bytes from sandboxes`)
process.stdout.write(`the row of a sandbox, with its indexes: ${sizes.rows[0].bytes} bytes\n`)
report(`fleet: ${MANY} sandboxes, as multiples of ${FEW} (stolen ${stolen()?.toFixed(1) ?? 'unknown'} %)`, figures)
await control.end()
await system.stop()
await postgres.stop()
rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
