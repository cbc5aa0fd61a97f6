import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { type Figure, report } from './report.ts'
import { type Rival, startInflux, startVictoria } from './rivals.ts'
import { openTenantServer } from './tenant-server.ts'

/**
 * Observations a second, a thousand to a request on four connections: ours through the gateway, with token, checks,
 * durable commit and folding; others by their own quickest way in, with the same observations from the same client.
 */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 20)
const CONNECTIONS = 4
const AN_HOUR_AGO = Date.now() - 3_600_000

const figures: Figure[] = []
const system = await startSystem({ env: { RATE_LIMIT_PER_MINUTE: '0' } })
const { operator, newSandbox } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
const { record, connection } = await newSandbox(key, {
  storeys: 20,
  spacesMin: 20,
  spacesMax: 30,
  equipmentDensity: 'dense',
})
const base = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`
const points: string[] = []
while (points.length < 5000) {
  const { json } = await call(`${base}/points?limit=1000&offset=${points.length}`, { token: connection.token })
  points.push(...json.data.map(({ id }: { id: string }) => id))
  if (json.data.length < 1000) break
}
const groups = Math.floor(points.length / 1000)
process.stdout.write(`${groups * 1000} points\n`)

/** A body whose times are written anew for each request, in place: making it costs the client next to nothing. */
interface Body {
  bytes: Buffer
  stamp(round: number): void
}

function template(
  line: (point: string, value: string, time: string) => string,
  group: number,
  options: {
    head: string
    between: string
    tail: string
    time: (round: number) => string
  },
): Body {
  const MARK = '~'.repeat(options.time(0).length)
  const lines = points
    .slice(group * 1000, (group + 1) * 1000)
    .map((point, i) => line(point, (18 + ((i * 7) % 80) / 10).toFixed(1), MARK))
  const bytes = Buffer.from(options.head + lines.join(options.between) + options.tail)
  const places: number[] = []
  for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, at + MARK.length)) places.push(at)
  return {
    bytes,
    stamp(round) {
      const time = Buffer.from(options.time(round))
      for (const place of places) time.copy(bytes, place)
    },
  }
}

const asJson = (group: number) =>
  template((pointId, value, timestamp) => JSON.stringify({ pointId, value, timestamp }), group, {
    head: '{"observations":[',
    between: ',',
    tail: ']}',
    time: (round) => new Date(AN_HOUR_AGO + round * 1000).toISOString(),
  })
const asLines = (group: number) =>
  template((point, value, time) => `o,point=${point} v=${value} ${time}`, group, {
    head: '',
    between: '\n',
    tail: '\n',
    time: (round) => String(AN_HOUR_AGO + round * 1000),
  })

interface Target {
  url: string
  headers: Record<string, string>
  body(group: number): Body
}

async function sustained({ url, headers, body }: Target, seconds = SECONDS): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const { hostname, port, pathname, search, host } = new URL(url)
  const address = hostname.endsWith('localhost') ? '127.0.0.1' : hostname
  let request_ = 0
  let sent = 0
  const until = performance.now() + seconds * 1000
  const send = (bytes: Buffer) =>
    new Promise<void>((resolve, reject) => {
      const asked = request(
        {
          host: address,
          port,
          path: pathname + search,
          method: 'POST',
          agent,
          headers: { host, 'content-length': bytes.length, ...headers },
        },
        (answer) => {
          answer.resume()
          answer.on('end', () => {
            if (answer.statusCode! < 300) resolve()
            else reject(new Error(`${url} answered ${answer.statusCode}`))
          })
        },
      )
      asked.on('error', reject)
      asked.end(bytes)
    })
  const from = performance.now()
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const bodies = Array.from({ length: groups }, (_, group) => body(group))
      while (performance.now() < until) {
        const number = request_++
        const { bytes, stamp } = bodies[number % groups]!
        stamp(Math.floor(number / groups))
        await send(bytes)
        sent += 1000
      }
    }),
  )
  agent.destroy()
  return sent / ((performance.now() - from) / 1000)
}

const ours: Target = {
  url: `${base}/telemetry/observations`,
  headers: { authorization: `Bearer ${connection.token}`, 'content-type': 'application/json' },
  body: asJson,
}
await sustained(ours, 3)
const rate = await sustained(ours)
const server = openTenantServer(system.dataDir)
const from = performance.now()
while ((await server.waitingObservations(record.sandboxId)) > 0) await sleep(100)
const caughtUp = (performance.now() - from) / 1000
const perObservation = await server.bytesAnObservation(record.sandboxId)
await system.remove()

process.stdout.write(`ours: ${Math.round(rate).toLocaleString('en')} observations/s\n`)
figures.push({ what: 'time to fold the rest', measured: caughtUp, limit: 10, unit: 's' })
figures.push({ what: 'bytes an observation, folded, with its index', measured: perObservation, limit: 12, unit: 'B' })

async function against(name: string, limit: number, rival: Rival | undefined, path: string): Promise<void> {
  if (rival === undefined) return void process.stdout.write(`${name} is not installed\n`)
  const target = { url: rival.url + path, headers: { 'content-type': 'text/plain' }, body: asLines }
  await sustained(target, 3)
  const theirs = await sustained(target)
  await rival.stop()
  process.stdout.write(`${name}: ${Math.round(theirs).toLocaleString('en')} observations/s\n`)
  figures.push({ what: `${name}, as a multiple of ours`, measured: theirs / rate, limit, unit: '×' })
}
await against('InfluxDB, line protocol', 1, await startInflux(), '/write?db=bench&precision=ms')
await against('VictoriaMetrics, line protocol', 10, await startVictoria(), '/write?precision=ms')

function parsed(): number {
  const body = asJson(0)
  body.stamp(0)
  const start = performance.now()
  let count = 0
  while (performance.now() - start < 2000) count += JSON.parse(body.bytes.toString()).observations.length
  return count / ((performance.now() - start) / 1000)
}
const bare = parsed()
process.stdout.write(`JSON.parse alone: ${Math.round(bare).toLocaleString('en')} observations/s\n`)
figures.push({ what: 'JSON.parse alone, as a multiple of ours', measured: bare / rate, limit: 10, unit: '×' })
report('ingest', figures)
