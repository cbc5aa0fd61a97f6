import { Agent, request } from 'node:http'
import { actorsOf } from '../acceptance/system/actors.ts'
import { type Answer, call } from '../acceptance/system/call.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { startInflux } from './baselines.ts'
import { type Figure, median, report, timed } from './report.ts'

/** Compares the same queries over the same data, sent to Storey through the gateway and to InfluxDB. */

const influx = await startInflux()
if (influx === undefined) throw new Error('InfluxDB is not installed, so there is nothing to compare with')
const system = await startSystem({ env: { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' } })
const { operator, newSandbox } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
const tower = { storeys: 19, spacesMin: 20, spacesMax: 30, equipmentDensity: 'dense', seedTelemetryDays: 30 }
const { connection } = await newSandbox(key, tower)
const base = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}/telemetry`
const ask = async (path: string): Promise<Answer> => call(base + path, { token: connection.token })

const latest: { pointId: string; value: string; timestamp: string }[] = (await ask('/latest')).json.data
const last = latest.slice(0, 5000)
const to = new Date(Math.max(...latest.map(({ timestamp }) => Date.parse(timestamp))) + 1).toISOString()
const from = new Date(Date.parse(to) - 30 * 86_400_000).toISOString()

/** Finds a point with an observation every five minutes. */
async function findPoint(): Promise<{ pointId: string; rows: { timestamp: string; value: string }[] }> {
  for (const { pointId } of latest) {
    const { json } = await ask(`/observations?pointId=${pointId}&from=${from}&to=${to}&limit=10000`)
    if (Math.abs(json.data.length - 8640) < 20) return { pointId, rows: json.data }
  }
  throw new Error('no point has 8,640 observations')
}
const { pointId, rows } = await findPoint()
process.stdout.write(`${rows.length} observations of a point; ${last.length} last values\n`)

const write = async (lines: string[]) => {
  const answer = await fetch(`${influx.url}/write?db=bench&precision=ms`, { method: 'POST', body: lines.join('\n') })
  if (!answer.ok) throw new Error(await answer.text())
}
const isNumber = (value: string) => Number.isFinite(Number(value))
await write(rows.map(({ timestamp, value }) => `h,point=${pointId} v=${value} ${Date.parse(timestamp)}`))
await write(
  last
    .filter(({ value }) => isNumber(value))
    .map(({ pointId: id, value, timestamp }) => `l,point=${id} v=${value} ${Date.parse(timestamp)}`),
)

const agent = new Agent({ keepAlive: true })
function fetched(url: string, headers: Record<string, string> = {}): Promise<void> {
  const { hostname, port, pathname, search, host } = new URL(url)
  const address = hostname.endsWith('localhost') ? '127.0.0.1' : hostname
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: address, port, path: pathname + search, headers: { host, ...headers }, agent },
      (a) => {
        a.resume()
        a.on('end', () => (a.statusCode === 200 ? resolve() : reject(new Error(`${url}: ${a.statusCode}`))))
      },
    )
    asked.on('error', reject)
    asked.end()
  })
}

/** A stack compiles its functions during the first thousand requests: until then an hourly average takes 0.7 ms more. */
const WARM_UP_SECONDS = 4
/** Ours and theirs are measured in turns, because the machine may be slower for some seconds. */
const TURNS = 5
const MEASURED = 20

type Ask = () => Promise<void>

async function warmUp(ask: Ask): Promise<void> {
  const end = performance.now() + WARM_UP_SECONDS * 1000
  while (performance.now() < end) await ask()
}

async function measure(ask: Ask, into: number[]): Promise<void> {
  for (let i = 0; i < MEASURED; i++) into.push((await timed(ask)).seconds * 1000)
}

const headers = { authorization: `Bearer ${connection.token}` }
const theirs = (question: string) => `${influx.url}/query?db=bench&epoch=ms&q=${encodeURIComponent(question)}`
const range = `from=${from}&to=${to}`
const span = `time >= '${from}' and time < '${to}'`

const figures: Figure[] = []
async function compare(what: string, limit: number, path: string, question: string): Promise<void> {
  const [ask, askTheirs] = [() => fetched(base + path, headers), () => fetched(theirs(question))]
  for (const each of [ask, askTheirs]) await warmUp(each)
  const times: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] }
  for (let turn = 0; turn < TURNS; turn++) {
    await measure(ask, times.ours)
    await measure(askTheirs, times.theirs)
  }
  const [ours, other] = [median(times.ours), median(times.theirs)]
  process.stdout.write(`${what}: ${ours.toFixed(2)} ms, InfluxDB ${other.toFixed(2)} ms\n`)
  figures.push({ what: `${what}, as a multiple of InfluxDB`, measured: ours / other, limit, unit: '×' })
}
await compare(
  'hourly average of 30 days',
  0.6,
  `/observations?pointId=${pointId}&${range}&aggregation=avg&interval=1h`,
  `select mean(v) from h where point='${pointId}' and ${span} group by time(1h)`,
)
await compare(
  'the raw rows of 30 days',
  0.4,
  `/observations?pointId=${pointId}&${range}&limit=10000`,
  `select v from h where point='${pointId}' and ${span}`,
)
await compare(`the last value of ${last.length} points`, 0.05, '/latest', 'select last(v) from l group by point')
report('history', figures)
agent.destroy()
await influx.stop()
await system.remove()
