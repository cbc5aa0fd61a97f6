import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { freePort, type System, type SystemOptions, startSystem } from '../acceptance/system/system.ts'
import { childrenOf } from '../bench/processes.ts'
import { openDataFolder } from '../packages/host/src/data-folder.ts'
import { findRunning, SUPERUSER } from '../packages/kit/src/embedded-postgres/cluster.ts'
import { derivePassword } from '../packages/kit/src/secrets.ts'
import {
  controlsOf,
  mountSmallDisk,
  type OwnPostgres,
  type PostgresControls,
  startOwnPostgres,
} from './own-postgres.ts'
import { startWriters, type Writer } from './writers.ts'

const SANDBOXES = 2
const CALM_MS = 5_000
/** The service must answer this soon after the database does. */
const BACK_LIMIT_MS = 10_000
const PATIENCE_MS = 90_000
/** A stack that ends meanwhile has to be started again, which needs the database too. */
const KILL_AFTER_MS = 3_000
const READ_EVERY_MS = 1_000

type Fault = (postgres: PostgresControls & Partial<OwnPostgres>) => Promise<void>

/** Faults of the database. Each resolves when the database works again. */
const FAULTS: Record<string, Fault> = {
  async 'disk-full'(postgres) {
    const over = new AbortController()
    const filling = postgres.fill(over.signal)
    await sleep(10_000)
    // What it still has to write ahead is used up: then the server itself ends, and at every start again.
    for (let i = 0; i < 8; i++) await postgres.ask('select pg_switch_wal()').catch(() => undefined)
    await sleep(isEmbedded ? 25_000 : 10_000)
    over.abort()
    await filling
    await postgres.untilAnswers()
  },
  async 'read-only'(postgres) {
    const turn = async (state: 'on' | 'off') => {
      await postgres.ask(`alter system set default_transaction_read_only = ${state}`)
      await postgres.ask('select pg_reload_conf()')
    }
    await turn('on')
    await sleep(20_000)
    await turn('off')
  },
  async frozen(postgres) {
    postgres.signal('SIGSTOP')
    await sleep(40_000)
    postgres.signal('SIGCONT')
  },
  async absent(postgres) {
    await postgres.stop?.()
    await sleep(60_000)
    await postgres.start?.()
  },
}

/** With `embedded` it is the server that the service runs by itself, which nobody can stop for a minute. */
const isEmbedded = process.argv[3] === 'embedded'
const known = Object.keys(FAULTS).filter((name) => !isEmbedded || name !== 'absent')
const chosen = process.argv.slice(isEmbedded ? 4 : 3)
const unknown = chosen.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`Usage: npm run chaos -- database [embedded] [${known.join(' | ')}]…\n`)
  process.exit(64)
}

const holds = isEmbedded ? await tryEmbedded() : await tryOwn()
process.stdout.write(holds ? 'passed\n' : 'FAILED\n')
process.exit(holds ? 0 : 1)

async function tryOwn(): Promise<boolean> {
  const postgres = await startOwnPostgres()
  process.once('SIGINT', () => void postgres.remove().then(() => process.exit(130)))
  return await start(postgres, { env: { DATABASE_URL: postgres.url } }).finally(() => postgres.remove())
}

async function tryEmbedded(): Promise<boolean> {
  const small = mountSmallDisk('storey-embedded-')
  process.once('SIGINT', () => process.exit(130))
  const dataDir = join(small.disk, 'data')
  const server = () => findRunning(join(dataDir, 'postgres'))
  const url = () => {
    const password = derivePassword(openDataFolder(dataDir).masterSecret(undefined), 'postgres')
    return `postgres://${SUPERUSER}:${password}@127.0.0.1:${server()?.port ?? 1}/postgres`
  }
  const postgres = controlsOf(small, { pid: () => server()!.pid, url })
  return await start(postgres, { dataDir }).finally(() => small.remove())
}

/**
 * Observations over REST and MQTT all the time while the database, of the control plane and of all sandboxes, is full,
 * read-only, frozen or away. What was acknowledged must be there, once and as it was sent, and the service must be back
 * by itself.
 */
async function start(postgres: PostgresControls, options: SystemOptions): Promise<boolean> {
  const system = await startSystem({
    ...options,
    env: {
      RATE_LIMIT_PER_MINUTE: '0',
      SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
      MAX_ACTIVE_SANDBOXES: `${SANDBOXES + 1}`,
      MQTT_ENABLED: 'true',
      MQTT_PORT: `${await freePort()}`,
      ...options.env,
    },
  })
  try {
    const isGood = await tryOn(system, postgres)
    if (!isGood) process.stderr.write(`\nThe log of the service:\n${system.output()}\n`)
    return isGood
  } finally {
    await system.remove()
  }
}

async function tryOn(system: System, postgres: PostgresControls): Promise<boolean> {
  const { operator, newSandbox, api } = actorsOf(system)
  const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
  const writers: Writer[] = []
  for (let i = 1; i <= SANDBOXES; i++) {
    writers.push(...(await startWriters((await newSandbox(key)).connection, `sandbox ${i}`)))
  }
  const { connection: read } = await newSandbox(key)
  const probes = {
    'control plane': () => api(key, '/api/v1/sandboxes'),
    'a stack that ended': () => call(`${read.apiUrl}/api/v1/buildings`, { token: read.token }),
  }
  const wokenMs = await untilAnswered(probes['a stack that ended'], Date.now())
  process.stdout.write(`a stack starts in ${seconds(wokenMs)} here\n`)
  let isGood = true
  for (const name of chosen.length > 0 ? chosen : known) {
    if (name === 'disk-full' && !postgres.isSmallDisk) {
      process.stdout.write('disk-full: not tried, since no disk can be mounted here\n')
      continue
    }
    await sleep(CALM_MS)
    for (const { answers } of writers) answers.clear()
    const [stack] = childrenOf(system.pid, 'serve').slice(-1)
    const killing = setTimeout(() => stack !== undefined && process.kill(stack, 'SIGKILL'), KILL_AFTER_MS)
    const reading = setInterval(() => probes['a stack that ended']().catch(() => undefined), READ_EVERY_MS)
    await FAULTS[name]!(postgres)
    clearTimeout(killing)
    clearInterval(reading)
    if (!(await report(name, writers, probes))) isGood = false
  }
  await Promise.all(writers.map((writer) => writer.stop()))
  for (const { name, observed } of writers) {
    const { acknowledged, lost, doubled, changed } = await observed.compare()
    const figures = `${acknowledged.toLocaleString('en')} acknowledged, ${lost} lost, ${doubled} doubled, ${changed} changed`
    process.stdout.write(`${name}: ${figures}\n`)
    if (lost + doubled + changed > 0 || acknowledged === 0) isGood = false
  }
  const letters = await operator('dead-letters')
  if (letters === '') return isGood
  process.stdout.write(`dead letters:\n${letters}\n`)
  return false
}

type Probes = Record<string, () => Promise<{ status: number }>>

/** How long it took until everybody was served again, and what they were told meanwhile. */
async function report(fault: string, writers: readonly Writer[], probes: Probes): Promise<boolean> {
  const wellAt = Date.now()
  const back = await Promise.all([
    ...writers.map(async ({ name, acknowledgedSince }) => ({
      name,
      ms: await until(() => acknowledgedSince(wellAt), wellAt),
    })),
    ...Object.entries(probes).map(async ([name, ask]) => ({ name, ms: await untilAnswered(ask, wellAt) })),
  ])
  const slowestMs = Math.max(...back.map(({ ms }) => ms))
  const each = back.map(({ name, ms }) => `${name} ${seconds(ms)}`).join(', ')
  process.stdout.write(`${fault}: back after ${seconds(slowestMs)} (${each})\n`)
  for (const { name, answers } of writers) {
    const told = [...answers].map(([what, count]) => `${what} × ${count}`).join(', ')
    process.stdout.write(`  ${name} meanwhile: ${told || 'acknowledgements alone'}\n`)
  }
  const isUnexpected = (what: string) => /^refused|^(?!503)\d\d\d|without/.test(what)
  return slowestMs <= BACK_LIMIT_MS && !writers.some(({ answers }) => [...answers.keys()].some(isUnexpected))
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

async function until(at: () => number | undefined, since: number): Promise<number> {
  for (const deadline = since + PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
    const found = at()
    if (found !== undefined) return found - since
  }
  return Number.POSITIVE_INFINITY
}

async function untilAnswered(ask: () => Promise<{ status: number }>, since: number): Promise<number> {
  let isOver = false
  const limit = sleep(PATIENCE_MS, undefined, { ref: false }).then(() => {
    isOver = true
  })
  while (!isOver) {
    const answer = await Promise.race([ask().catch(() => undefined), limit])
    if (answer?.status === 200) return Date.now() - since
    await sleep(100)
  }
  return Number.POSITIVE_INFINITY
}
