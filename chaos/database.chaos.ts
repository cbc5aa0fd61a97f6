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
  type ExternalPostgres,
  mountSmallDisk,
  type PostgresControls,
  startExternalPostgres,
} from './external-postgres.ts'
import { startWriters, type Writer } from './writers.ts'

const SANDBOXES = 2
const PAUSE_MS = 5_000
/** The service must work again within this time after the database does. */
const RECOVERY_LIMIT_MS = 10_000
const TIMEOUT_MS = 90_000
/** A stack is killed this long after the start of each outage, because its restart needs the database too. */
const KILL_AFTER_MS = 3_000
const READ_EVERY_MS = 1_000

type Outage = (postgres: PostgresControls & Partial<ExternalPostgres>) => Promise<void>

/** Outages of the database. Each resolves when the database works again. */
const OUTAGES: Record<string, Outage> = {
  async 'disk-full'(postgres) {
    const over = new AbortController()
    const filling = postgres.fill(over.signal)
    await sleep(10_000)
    // Uses up the preallocated WAL, so that the server stops, and stops again after every start.
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

/**
 * With `embedded` the outages affect the embedded server. The outage `absent` is left out then, because the service
 * restarts a stopped embedded server.
 */
const isEmbedded = process.argv[3] === 'embedded'
const known = Object.keys(OUTAGES).filter((name) => !isEmbedded || name !== 'absent')
const chosen = process.argv.slice(isEmbedded ? 4 : 3)
const unknown = chosen.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`Usage: npm run chaos -- database [embedded] [${known.join(' | ')}]…\n`)
  process.exit(64)
}

const holds = isEmbedded ? await runEmbedded() : await runExternal()
process.stdout.write(holds ? 'passed\n' : 'FAILED\n')
process.exit(holds ? 0 : 1)

async function runExternal(): Promise<boolean> {
  const postgres = await startExternalPostgres()
  process.once('SIGINT', () => void postgres.remove().then(() => process.exit(130)))
  return await run(postgres, { env: { DATABASE_URL: postgres.url } }).finally(() => postgres.remove())
}

async function runEmbedded(): Promise<boolean> {
  const small = mountSmallDisk('storey-embedded-')
  process.once('SIGINT', () => process.exit(130))
  const dataDir = join(small.disk, 'data')
  const server = () => findRunning(join(dataDir, 'postgres'))
  const url = () => {
    const password = derivePassword(openDataFolder(dataDir).masterSecret(undefined), 'postgres')
    return `postgres://${SUPERUSER}:${password}@127.0.0.1:${server()?.port ?? 1}/postgres`
  }
  const postgres = controlsOf(small, { pid: () => server()!.pid, url })
  return await run(postgres, { dataDir }).finally(() => small.remove())
}

/**
 * Sends observations over REST and MQTT while the database server of the control plane and all sandboxes has a full
 * disk, is read-only, frozen or stopped. Every acknowledged observation must be stored once and unchanged, and the
 * service must recover by itself.
 */
async function run(postgres: PostgresControls, options: SystemOptions): Promise<boolean> {
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
    const isGood = await causeOutages(system, postgres)
    if (!isGood) process.stderr.write(`\nThe log of the service:\n${system.output()}\n`)
    return isGood
  } finally {
    await system.remove()
  }
}

async function causeOutages(system: System, postgres: PostgresControls): Promise<boolean> {
  const { operator, newSandbox, api } = actorsOf(system)
  const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
  const writers: Writer[] = []
  for (let i = 1; i <= SANDBOXES; i++) {
    writers.push(...(await startWriters((await newSandbox(key)).connection, `sandbox ${i}`)))
  }
  const { connection: read } = await newSandbox(key)
  const probes = {
    'control plane': () => api(key, '/api/v1/sandboxes'),
    'a killed stack': () => call(`${read.apiUrl}/api/v1/buildings`, { token: read.token }),
  }
  const wokenMs = await untilAnswered(probes['a killed stack'], Date.now())
  process.stdout.write(`a stack starts in ${seconds(wokenMs)} without an outage\n`)
  let isGood = true
  for (const name of chosen.length > 0 ? chosen : known) {
    if (name === 'disk-full' && !postgres.isSmallDisk) {
      process.stdout.write('disk-full: skipped, no disk can be mounted here\n')
      continue
    }
    await sleep(PAUSE_MS)
    for (const { answers } of writers) answers.clear()
    const [stack] = childrenOf(system.pid, 'serve').slice(-1)
    const killing = setTimeout(() => stack !== undefined && process.kill(stack, 'SIGKILL'), KILL_AFTER_MS)
    const reading = setInterval(() => probes['a killed stack']().catch(() => undefined), READ_EVERY_MS)
    await OUTAGES[name]!(postgres)
    clearTimeout(killing)
    clearInterval(reading)
    if (!(await report(name, writers, probes))) isGood = false
  }
  await Promise.all(writers.map((writer) => writer.stop()))
  for (const { name, observed } of writers) {
    const { acknowledged, lost, duplicated, changed } = await observed.compare()
    const figures = `${acknowledged.toLocaleString('en')} acknowledged, ${lost} lost, ${duplicated} duplicated, ${changed} changed`
    process.stdout.write(`${name}: ${figures}\n`)
    if (lost + duplicated + changed > 0 || acknowledged === 0) isGood = false
  }
  const deadLetters = await operator('dead-letters')
  if (deadLetters === '') return isGood
  process.stdout.write(`dead letters:\n${deadLetters}\n`)
  return false
}

type Probes = Record<string, () => Promise<{ status: number }>>

/** Prints how long each writer and probe took to succeed again, and which errors the writers got during the outage. */
async function report(outage: string, writers: readonly Writer[], probes: Probes): Promise<boolean> {
  const repairedAt = Date.now()
  const recovered = await Promise.all([
    ...writers.map(async ({ name, acknowledgedSince }) => ({
      name,
      ms: await until(() => acknowledgedSince(repairedAt), repairedAt),
    })),
    ...Object.entries(probes).map(async ([name, ask]) => ({ name, ms: await untilAnswered(ask, repairedAt) })),
  ])
  const slowestMs = Math.max(...recovered.map(({ ms }) => ms))
  const each = recovered.map(({ name, ms }) => `${name} ${seconds(ms)}`).join(', ')
  process.stdout.write(`${outage}: recovered after ${seconds(slowestMs)} (${each})\n`)
  for (const { name, answers } of writers) {
    const errors = [...answers].map(([what, count]) => `${what} × ${count}`).join(', ')
    process.stdout.write(`  ${name} meanwhile: ${errors || 'no errors'}\n`)
  }
  const isUnexpected = (what: string) => /^refused|^(?!503)\d\d\d|without/.test(what)
  return slowestMs <= RECOVERY_LIMIT_MS && !writers.some(({ answers }) => [...answers.keys()].some(isUnexpected))
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

async function until(at: () => number | undefined, since: number): Promise<number> {
  for (const deadline = since + TIMEOUT_MS; Date.now() < deadline; await sleep(50)) {
    const found = at()
    if (found !== undefined) return found - since
  }
  return Number.POSITIVE_INFINITY
}

async function untilAnswered(ask: () => Promise<{ status: number }>, since: number): Promise<number> {
  let isOver = false
  const limit = sleep(TIMEOUT_MS, undefined, { ref: false }).then(() => {
    isOver = true
  })
  while (!isOver) {
    const answer = await Promise.race([ask().catch(() => undefined), limit])
    if (answer?.status === 200) return Date.now() - since
    await sleep(100)
  }
  return Number.POSITIVE_INFINITY
}
