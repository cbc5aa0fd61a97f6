import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../acceptance/system/call.ts'
import { freePort, startSystem } from '../acceptance/system/system.ts'
import { encodePart } from '../packages/platform/src/features/telemetry/storage/batch-codec.ts'
import { type Baseline, startInflux, startMosquitto, startVictoria } from './baselines.ts'
import { CONNECTIONS, loadOf, MESSAGE_SIZE, posted, published } from './loads.ts'
import { type Figure, median, report } from './report.ts'
import { openTenantServer } from './tenant-server.ts'
import { newTower } from './tower.ts'

/**
 * Measures observations a second. Storey gets them through the gateway or MQTT, with authentication, validation,
 * durable commit and folding. Other stores and a broker get the same observations from the same client, for comparison:
 * the stores as line protocol or JSON, the broker as the same JSON messages.
 */

const SECONDS = Number(process.env.BENCH_SECONDS ?? 20)
const WARM_UP = 3
const PAIRS = 5
const PAUSE_MS = 3_000

const figures: Figure[] = []
const [mqttPort, metricsPort] = [await freePort(), await freePort()]
const system = await startSystem({
  env: {
    RATE_LIMIT_PER_MINUTE: '0',
    SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
    MQTT_ENABLED: 'true',
    MQTT_PORT: `${mqttPort}`,
    METRICS_PORT: `${metricsPort}`,
  },
})
const { record, connection, base, points } = await newTower(system)
process.stdout.write(`${points.length} points\n`)

function printRate(what: string, rate: number): number {
  process.stdout.write(`${what}: ${Math.round(rate).toLocaleString('en')} observations/s\n`)
  return rate
}

async function warm(run: (seconds: number) => Promise<number>): Promise<number> {
  await run(WARM_UP)
  return run(SECONDS)
}

const server = openTenantServer(system.dataDir)
async function untilFolded(): Promise<number> {
  const from = performance.now()
  while ((await server.waitingObservations(record.sandboxId)) > 0) await sleep(100)
  return (performance.now() - from) / 1000
}

/** Waits for the work, and returns its result with the longest lag of folding that the metrics reported meanwhile. */
async function withLag<T>(work: Promise<T>): Promise<{ value: T; lag: number }> {
  let lag = 0
  const watch = setInterval(async () => {
    const { text } = await call(`http://localhost:${metricsPort}/metrics`)
    lag = Math.max(lag, Number(/^storey_observations_oldest_waiting_seconds (\S+)/m.exec(text)![1]))
  }, 500)
  const value = await work
  clearInterval(watch)
  return { value, lag }
}

/**
 * While a load is sent, its timestamps advance by up to 350 s a second, and Storey refuses timestamps more than a day
 * ahead, so both of our loads start in the past. Their ranges do not overlap, because observations that replace others
 * take more work to fold.
 */
const JSON_FROM = Date.now() - SECONDS * 2_400_000
const LINES_FROM = JSON_FROM - SECONDS * 1_500_000
const ours = loadOf('json', points, JSON_FROM)
const headers = { authorization: `Bearer ${connection.token}`, 'content-type': 'application/json' }
const target = { url: `${base}/telemetry/observations`, headers }
const { value, lag } = await withLag(warm((seconds) => posted(ours, target, seconds)))
const rest = printRate('ours, REST', value)
figures.push({ what: 'longest wait of a batch for folding', measured: lag, limit: 20, unit: 's' })
figures.push({ what: 'time to fold what remains', measured: await untilFolded(), limit: 10, unit: 's' })

const lineTarget = {
  url: `${base}/telemetry/influx/write?precision=ms`,
  headers: { authorization: headers.authorization, 'content-type': 'text/plain' },
}
const ourLines = loadOf('lines', points, LINES_FROM)
printRate('ours, line protocol', await warm((seconds) => posted(ourLines, lineTarget, seconds)))
await untilFolded()

const lineProtocol = { path: '/write?db=bench&precision=ms', format: 'lines' } as const
/**
 * Sends line protocol to Storey and VictoriaMetrics in turns. A pause after each turn prevents that background work of
 * one store slows down the other.
 */
async function linesInTurns(): Promise<void> {
  const victoria = await startVictoria()
  if (victoria === undefined) return void process.stdout.write('VictoriaMetrics is not installed\n')
  const theirs = loadOf('lines', points)
  const theirTarget = { url: victoria.url + lineProtocol.path, headers: { 'content-type': 'text/plain' } }
  await posted(theirs, theirTarget, WARM_UP)
  const multiples: number[] = []
  for (let i = 0; i < PAIRS; i++) {
    const rate = printRate('ours, line protocol, in turn', await posted(ourLines, lineTarget, SECONDS / 2))
    await untilFolded()
    const theirRate = await posted(theirs, theirTarget, SECONDS / 2)
    multiples.push(printRate('VictoriaMetrics, line protocol, in turn', theirRate) / rate)
    await sleep(PAUSE_MS)
  }
  await victoria.stop()
  const what = 'VictoriaMetrics, line protocol, as a multiple of ours'
  figures.push({ what, measured: median(multiples), limit: 1, unit: '×' })
}
await linesInTurns()

const { url, topic, ...login } = connection.mqtt
const overMqtt = (seconds: number) => published(ours, { url, topic, login }, seconds)
const mqtt = printRate('ours, MQTT', await warm(overMqtt))
await untilFolded()
/** REST and MQTT in turns: what changes during a run, such as the size of the database, affects both in the same way. */
const shares: number[] = []
for (let i = 0; i < PAIRS; i++) {
  const restInTurn = printRate('ours, REST, in turn', await posted(ours, target, SECONDS / 2))
  shares.push(restInTurn / printRate('ours, MQTT, in turn', await overMqtt(SECONDS / 2)))
}
await untilFolded()
const perObservation = await server.bytesPerObservation(record.sandboxId)
figures.push({ what: 'bytes per folded observation, with its index', measured: perObservation, limit: 12, unit: 'B' })

/** One message in the format in which the batches table stores it. */
function packed(): Buffer {
  const times = new Float64Array(MESSAGE_SIZE).fill(Date.now())
  const values = Float64Array.from(times, (_, i) => 18 + ((i * 7) % 80) / 10)
  const numbers = Int32Array.from(times, (_, i) => i)
  const none = { texts: new Map(), sources: null, sourceNames: [] }
  return encodePart({ count: MESSAGE_SIZE, points: numbers, times, values, ...none })
}
const inserts = await server.bareInserts(record.sandboxId, packed(), { connections: CONNECTIONS, seconds: 5 })
const inserted = printRate('bare inserts of the packed batch', inserts * MESSAGE_SIZE)
figures.push({ what: 'a bare insert, as a multiple of REST', measured: inserted / rest, limit: 20, unit: '×' })
await system.remove()

interface Rival {
  name: string
  start(): Promise<Baseline | undefined>
  path: string
  format: 'lines' | 'victoria'
  /** Our rate to compare with, and the multiple of the other store's rate that it must reach. */
  ours: number
  share: number
}

async function against({ name, start, path, format, ours, share }: Rival): Promise<void> {
  const baseline = await start()
  if (baseline === undefined) return void process.stdout.write(`${name} is not installed\n`)
  const load = loadOf(format, points)
  const rivalTarget = { url: baseline.url + path, headers: { 'content-type': 'text/plain' } }
  const theirs = printRate(name, await warm((seconds) => posted(load, rivalTarget, seconds)))
  await baseline.stop()
  figures.push({ what: `${name}, as a multiple of ours`, measured: theirs / ours, limit: 1 / share, unit: '×' })
}
await against({ name: 'InfluxDB, line protocol', start: startInflux, ...lineProtocol, ours: rest, share: 1.8 })
const imported = { path: '/api/v1/import', format: 'victoria' } as const
await against({ name: 'VictoriaMetrics, JSON', start: startVictoria, ...imported, ours: rest, share: 0.8 })

/** Mosquitto stores nothing: it acknowledges a message in memory and forwards it to a subscriber that counts. */
async function againstMosquitto(): Promise<void> {
  const mosquitto = await startMosquitto(topic)
  if (mosquitto === undefined) return void process.stdout.write('Mosquitto is not installed\n')
  const load = loadOf('json', points)
  const theirs = printRate('Mosquitto, to one subscriber', await warm((seconds) => mosquitto.forwarded(load, seconds)))
  await mosquitto.stop()
  figures.push({ what: 'Mosquitto, as a multiple of our MQTT', measured: theirs / mqtt, limit: 20, unit: '×' })
}
await againstMosquitto()

function parsed(): number {
  const bytes = loadOf('json', points).sender().next()
  const start = performance.now()
  let count = 0
  while (performance.now() - start < 2000) count += JSON.parse(bytes.toString()).observations.length
  return count / ((performance.now() - start) / 1000)
}
const bare = printRate('JSON.parse alone', parsed())
figures.push({ what: 'JSON.parse alone, as a multiple of REST', measured: bare / rest, limit: 10, unit: '×' })
figures.push({ what: 'REST, as a multiple of our MQTT', measured: median(shares), limit: 1 / 0.9, unit: '×' })
report('ingest', figures)
