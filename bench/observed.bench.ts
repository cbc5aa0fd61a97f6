import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { call } from '../acceptance/system/call.ts'
import { freePort, startSystem } from '../acceptance/system/system.ts'
import { temporaryFolder } from '../packages/kit/src/testing/temporary-folder.ts'
import { loadOf, posted } from './loads.ts'
import { cpuSeconds } from './processes.ts'
import { report } from './report.ts'
import { newTower } from './tower.ts'

/**
 * Measures what traces, the access log and metrics cost: observations a second, and CPU time of the whole service for a
 * million observations, with and without them. Two systems without them and two with them take turns in short rounds,
 * so that other work of the machine affects all four alike. The two systems of a kind show the noise: without other
 * work their figures would be equal.
 */

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 100)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 0.5)
const WARM_UP_SECONDS = 3
const PROGRESS_EVERY = 20
/** A system has load for a quarter of the time, so there is one scrape for about four seconds of load. */
const SCRAPE_EVERY_MS = 15_000
const UNLIMITED = { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' }

async function startObserved(env: Record<string, string>) {
  const metricsPort = await freePort()
  const system = await startSystem({ env: { ...UNLIMITED, METRICS_PORT: `${metricsPort}`, ...env } })
  const { connection, base, points } = await newTower(system)
  const headers = { authorization: `Bearer ${connection.token}`, 'content-type': 'application/json' }
  const target = { url: `${base}/telemetry/observations`, headers }
  const load = loadOf('json', points)
  let cpuBefore = 0
  let observations = 0
  let loadedSeconds = 0
  return {
    ...{ system, metricsPort },
    /** Discards the figures of the warm-up. */
    begin() {
      cpuBefore = cpuSeconds(system.pid).total
      observations = loadedSeconds = 0
    },
    async round(seconds: number): Promise<void> {
      const from = performance.now()
      const rate = await posted(load, target, seconds)
      const elapsed = (performance.now() - from) / 1000
      observations += rate * elapsed
      loadedSeconds += elapsed
    },
    /** The figures of all rounds so far. The CPU time includes what the system did after its rounds, such as folding. */
    figures: () => ({
      rate: observations / loadedSeconds,
      cpu: (cpuSeconds(system.pid).total - cpuBefore) / (observations / 1e6),
    }),
  }
}
type ObservedSystem = Awaited<ReturnType<typeof startObserved>>

const sink = spawn(process.execPath, ['bench/trace-sink.ts'], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
const [port] = await once(sink.stdout!.setEncoding('utf8'), 'data')
const bare = () => startObserved({ METRICS_PORT: '0' })
const observed = () =>
  startObserved({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port).trim()}`,
    ACCESS_LOG: join(temporaryFolder('storey-bench'), 'access.log'),
  })
const without = [await bare(), await bare()]
const having = [await observed(), await observed()]
const scraping = setInterval(() => {
  for (const { metricsPort } of having) void call(`http://localhost:${metricsPort}/metrics`).catch(() => undefined)
}, SCRAPE_EVERY_MS)
const systems = [without[0]!, having[0]!, without[1]!, having[1]!]
for (const one of systems) await one.round(WARM_UP_SECONDS)
for (const one of systems) one.begin()
for (let i = 0; i < ROUNDS; i++) {
  for (let j = 0; j < systems.length; j++) await systems[(i + j) % systems.length]!.round(SECONDS)
  if ((i + 1) % PROGRESS_EVERY === 0) process.stdout.write(`${i + 1}: ${progress()}\n`)
}
clearInterval(scraping)
const measured = { rate: mean(without, 'rate') / mean(having, 'rate'), cpu: mean(having, 'cpu') / mean(without, 'cpu') }
process.stdout.write(`noise, as ratios of two equal systems: ${noise('rate')} by rate, ${noise('cpu')} by CPU time\n`)
for (const one of systems) await one.system.remove()
sink.disconnect()
report('observed', [
  {
    what: 'observations a second without traces, access log and metrics, as a multiple of those with them',
    measured: measured.rate,
    limit: 1.05,
    unit: '×',
  },
  {
    what: 'CPU time with traces, access log and metrics, as a multiple of that without them',
    measured: measured.cpu,
    limit: 1.05,
    unit: '×',
  },
])

type Figure = 'rate' | 'cpu'

function mean(all: readonly ObservedSystem[], figure: Figure): number {
  return all.reduce((sum, one) => sum + one.figures()[figure], 0) / all.length
}

function noise(figure: Figure): string {
  return [without, having].map(([a, b]) => (a!.figures()[figure] / b!.figures()[figure]).toFixed(3)).join(' and ')
}

function progress(): string {
  return (
    `${formatted(mean(without, 'rate'))} observations/s, with traces, log and metrics ${formatted(mean(having, 'rate'))}; ` +
    `${mean(without, 'cpu').toFixed(2)} CPU s a million, with them ${mean(having, 'cpu').toFixed(2)}`
  )
}

function formatted(rate: number): string {
  return Math.round(rate).toLocaleString('en')
}
