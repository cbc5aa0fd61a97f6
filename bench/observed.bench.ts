import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { call } from '../acceptance/system/call.ts'
import { freePort, startSystem } from '../acceptance/system/system.ts'
import { temporaryFolder } from '../packages/kit/src/testing/temporary-folder.ts'
import { loadOf, posted } from './loads.ts'
import { cpuSeconds } from './processes.ts'
import { median, report } from './report.ts'
import { newTower } from './tower.ts'

/**
 * Measures what traces, the access log and metrics cost: observations a second, and CPU time of the whole service for a
 * million observations, with and without them. Systems take turns in short rounds, so that all see the same machine. A
 * second bare system shows the noise: both of its ratios would be 1 on a machine without other work.
 */

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 200)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 0.5)
const WARM_UP_SECONDS = 3
const PROGRESS_EVERY = 20
const SCRAPE_EVERY_MS = 5_000
const UNLIMITED = { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' }

async function startObserved(env: Record<string, string>) {
  const metricsPort = await freePort()
  const system = await startSystem({ env: { ...UNLIMITED, METRICS_PORT: `${metricsPort}`, ...env } })
  const { connection, base, points } = await newTower(system)
  const headers = { authorization: `Bearer ${connection.token}`, 'content-type': 'application/json' }
  const target = { url: `${base}/telemetry/observations`, headers }
  const load = loadOf('json', points)
  const rates: number[] = []
  const cpu: number[] = []
  return {
    ...{ system, metricsPort, rates, cpu },
    async round(seconds: number): Promise<void> {
      const before = cpuSeconds(system.pid).total
      const from = performance.now()
      const rate = await posted(load, target, seconds)
      const millions = (rate * (performance.now() - from)) / 1000 / 1e6
      rates.push(rate)
      cpu.push((cpuSeconds(system.pid).total - before) / millions)
    },
  }
}

const sink = spawn(process.execPath, ['bench/trace-sink.ts'], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
const [port] = await once(sink.stdout!.setEncoding('utf8'), 'data')
const bare = await startObserved({ METRICS_PORT: '0' })
const secondBare = await startObserved({ METRICS_PORT: '0' })
const observed = await startObserved({
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port).trim()}`,
  ACCESS_LOG: join(temporaryFolder('storey-bench'), 'access.log'),
})
const scraping = setInterval(
  () => void call(`http://localhost:${observed.metricsPort}/metrics`).catch(() => undefined),
  SCRAPE_EVERY_MS,
)
const systems = [bare, observed, secondBare]
for (const one of systems) await one.round(WARM_UP_SECONDS)
for (const one of systems) one.rates.length = one.cpu.length = 0
for (let i = 0; i < ROUNDS; i++) {
  for (let j = 0; j < systems.length; j++) await systems[(i + j) % systems.length]!.round(SECONDS)
  if ((i + 1) % PROGRESS_EVERY === 0) process.stdout.write(`${i + 1}: ${progress()}\n`)
}
clearInterval(scraping)
for (const one of systems) await one.system.remove()
sink.disconnect()
process.stdout.write(
  `noise, the same two figures for the second bare system instead of the observed one: ${ratio(bare.rates, secondBare.rates).toFixed(3)} by rate, ` +
    `${ratio(secondBare.cpu, bare.cpu).toFixed(3)} by CPU time\n`,
)
report('observed', [
  {
    what: 'observations a second without traces, access log and metrics, as a multiple of those with them',
    measured: ratio(bare.rates, observed.rates),
    limit: 1.05,
    unit: '×',
  },
  {
    what: 'CPU time with traces, access log and metrics, as a multiple of that without them',
    measured: ratio(observed.cpu, bare.cpu),
    limit: 1.05,
    unit: '×',
  },
])

/** Both figures of a round were measured one after the other, so their ratio has less noise than each of them. */
function ratio(over: readonly number[], under: readonly number[]): number {
  return median(over.map((value, i) => value / under[i]!))
}

function progress(): string {
  const last = (values: readonly number[]) => median(values.slice(-PROGRESS_EVERY))
  return (
    `${Math.round(last(bare.rates)).toLocaleString('en')} observations/s, ` +
    `with traces, log and metrics ${Math.round(last(observed.rates)).toLocaleString('en')}; ` +
    `${last(bare.cpu).toFixed(2)} CPU s a million, with them ${last(observed.cpu).toFixed(2)}`
  )
}
