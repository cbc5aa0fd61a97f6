import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { childrenOf, memoryMb, peakMemoryMb } from '../bench/processes.ts'
import { openTenantServer } from '../bench/tenant-server.ts'
import { encodeChunk, maxBytes } from '../packages/platform/src/features/telemetry/storage/chunk-codec.ts'

/**
 * `npm run chaos -- history [days]`
 *
 * Reads a point with an observation every second for a year, and one with an observation every ten milliseconds for a
 * day: four identical reads at a time, raw, aggregated and downsampled. The stack must answer all reads within its
 * memory limit. Exits with 1 if the stack ended, reached that limit, or answered with an error.
 */

const DAYS = Number(process.argv[3] ?? 365)
const LIMIT_MB = 512
const DAY_MS = 86_400_000
const CHUNK_SIZE = 50_000
const AT_ONCE = 4

const system = await startSystem({ env: { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' } })
const { operator, newSandbox } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
const { record, connection } = await newSandbox(key, { storeys: 1, spacesMin: 1, spacesMax: 4, seedTelemetryDays: 0 })
const base = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`
const print = (text: string) => process.stdout.write(`${text}\n`)
const { json } = await call(`${base}/points?limit=2`, { token: connection.token })
const [yearly, daily] = json.data.map(({ id }: { id: string }) => id) as [string, string]

const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
const tenant = await openTenantServer(system.dataDir).open(record.sandboxId)

/** Inserts a day of observations, a sine wave with noise, in rows of at most 50,000, as folding writes them. */
async function fill(pointId: string, day: number, stepMs: number): Promise<void> {
  const count = DAY_MS / stepMs
  for (let from = 0; from < count; from += CHUNK_SIZE) {
    const length = Math.min(CHUNK_SIZE, count - from)
    const offsetsMs = Uint32Array.from({ length }, (_, i) => (from + i) * stepMs)
    const values = Float64Array.from({ length }, (_, i) => 20 + Math.sin((from + i) / 5000) + Math.random() / 10)
    const target = Buffer.alloc(maxBytes(length))
    const data = target.subarray(0, encodeChunk({ offsetsMs, values }, target, 0))
    await tenant.query(
      `insert into observation_chunks (point, day, count, data)
       select number, $2::date, $3, $4 from points where id = $1`,
      [pointId, new Date(day).toISOString().slice(0, 10), length, data],
    )
  }
}
for (let i = 1; i <= DAYS; i++) await fill(yearly, today - i * DAY_MS, 1000)
await fill(daily, today - DAY_MS, 10)
print(`${((DAYS * 86_400 + 8_640_000) / 1e6).toFixed(1)} million observations`)

const [pid] = childrenOf(system.pid, 'serve')
const before = memoryMb(pid!)
const unexpected: string[] = []
const iso = (instant: number) => new Date(instant).toISOString()
const ask = async (pointId: string, from: number, query: string) => {
  const range = `pointId=${pointId}&from=${iso(from)}&to=${iso(today)}`
  const { status } = await call(`${base}/telemetry/observations?${range}&${query}`, { token: connection.token })
  if (status !== 200) unexpected.push(`${query}: ${status}`)
}
const FORMATS = [
  'limit=10000',
  'aggregation=avg&interval=1h&limit=10000',
  'aggregation=median&interval=12mo',
  'aggregation=delta&interval=1d',
  'aggregation=timeWeightedAvg&interval=1d',
  'maxPoints=1000',
]
for (const [name, pointId, from] of [
  ['every second', yearly, today - DAYS * DAY_MS],
  ['every 10 ms', daily, today - DAY_MS],
] as const) {
  for (const form of FORMATS) {
    const start = performance.now()
    let peak = 0
    const watch = setInterval(() => {
      peak = Math.max(peak, ...childrenOf(system.pid, 'serve').map(memoryMb))
    }, 200)
    await Promise.all(Array.from({ length: AT_ONCE }, () => ask(pointId, from, form)))
    clearInterval(watch)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    print(`${name}, ${AT_ONCE} × ${form}: ${seconds} s, up to ${Math.round(peak)} MB`)
  }
}
const isSame = childrenOf(system.pid, 'serve').join() === `${pid}`
const peak = peakMemoryMb(pid!)
print(`${Math.round(before)} MB before, ${Math.round(peak)} MB at the peak, of ${LIMIT_MB}`)
if (!isSame) print('the stack crashed')
for (const answer of unexpected) print(`unexpected answer: ${answer}`)
await tenant.end()
await system.remove()
process.exit(!isSame || peak >= LIMIT_MB || unexpected.length > 0 ? 1 : 0)
