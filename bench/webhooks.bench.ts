import { fork } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createOutbound } from '@storey/kit/outbound'
import { actorsOf } from '../acceptance/system/actors.ts'
import { type Answer, type CallOptions, call } from '../acceptance/system/call.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { type Figure, median, report } from './report.ts'
import { openTenantServer } from './tenant-server.ts'
import type { ReceiverCommand, ReceiverMessage } from './webhook-receiver.ts'

/**
 * Measures deliveries a second to one fast receiver, compared with a bare loop of signed POSTs by the client of Node, and
 * how soon a delivery starts while a hundred other receivers do not answer.
 */

/** Enough rounds that the first ones do not change the median: they are slower, because V8 has compiled little yet. */
const ROUNDS = 7
const DELIVERIES = 10_000
/** Concurrent requests, as many as a stack sends to a quick receiver. */
const AT_A_TIME = 20
const OBSERVATIONS = 5
const HANGING = 100
const SAMPLES = 30

const receiver = fork(fileURLToPath(new URL('./webhook-receiver.ts', import.meta.url)))
const nextMessage = <T extends ReceiverMessage['type']>(type: T): Promise<Extract<ReceiverMessage, { type: T }>> =>
  new Promise((resolve) => {
    const listen = (message: ReceiverMessage) => {
      if (message.type !== type) return
      receiver.off('message', listen)
      resolve(message as never)
    }
    receiver.on('message', listen)
  })
const { url: receiverUrl } = await nextMessage('listening')

const system = await startSystem({ env: { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' } })
const { operator, newSandbox } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
const { record, connection } = await newSandbox(key)
const { apiUrl, buildingId, token } = connection
const api = async (path: string, options: CallOptions = {}): Promise<Answer> => {
  const answer = await call(`${apiUrl}/api/v1${path}`, { token, ...options })
  if (answer.status >= 400) throw new Error(`${path}: ${answer.text.slice(0, 500)}`)
  return answer
}
const subscribe = async (path: string): Promise<string> => {
  const body = { url: receiverUrl + path, events: ['building.point.updated'] }
  return (await api('/webhooks', { body })).json.id
}
const points: { id: string }[] = (await api(`/buildings/${buildingId}/points?limit=${OBSERVATIONS}`)).json.data
const observations = JSON.stringify({ observations: points.map(({ id }) => ({ pointId: id, value: '21.5' })) })

const agent = new Agent({ keepAlive: true, maxSockets: 4 })
function post(): Promise<void> {
  const { host, port } = new URL(apiUrl)
  const headers = { host, authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const path = `/api/v1/buildings/${buildingId}/telemetry/observations`
  return new Promise((resolve, reject) => {
    const posted = request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }, (answer) => {
      answer.resume()
      answer.on('end', () => (answer.statusCode === 202 ? resolve() : reject(new Error(`${answer.statusCode}`))))
    })
    posted.on('error', reject)
    posted.end(observations)
  })
}

const server = openTenantServer(system.dataDir)
const tenant = await server.open(record.sandboxId)
// `queue` sets a state that this constraint forbids.
await tenant.query('alter table webhooks drop constraint webhooks_check')

/** Ingests observations. Their deliveries are queued, but not sent while `paused_by` is 'person'. */
async function queue(count: number): Promise<void> {
  // The status stays `active`, because nothing would be queued for a webhook with the status `paused`.
  await tenant.query(`update webhooks set paused_by = 'person'`)
  let left = count
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      while (left-- > 0) await post()
    }),
  )
  // Folding finishes first, so that only deliveries are measured.
  while ((await server.waitingObservations(record.sandboxId)) > 0) await sleep(200)
}

async function deliveriesPerSecond(): Promise<number> {
  await queue(DELIVERIES - 1)
  receiver.send({ expect: DELIVERIES } satisfies ReceiverCommand)
  const all = nextMessage('all')
  await tenant.query('update webhooks set paused_by = null')
  // One more observation wakes the loop that sends deliveries.
  await post()
  return DELIVERIES / (await all).seconds
}

/** POSTs that are signed like deliveries, as fast as `send` can send them. */
async function postsPerSecond(body: Buffer, send: (headers: Record<string, string>) => Promise<unknown>) {
  receiver.send({ expect: DELIVERIES } satisfies ReceiverCommand)
  const all = nextMessage('all')
  let left = DELIVERIES
  const signed = () => ({
    'content-type': 'application/json',
    'x-svc-signature': createHmac('sha256', 'whsec_bench').update(body).digest('hex'),
    'x-svc-idempotency-key': randomUUID(),
    'x-svc-delivery-attempt': '1',
  })
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      while (left-- > 0) await send(signed())
    }),
  )
  return DELIVERIES / (await all).seconds
}

/** Sends the POSTs with the HTTP client of Node, like a simple program. */
async function barePostsPerSecond(body: Buffer): Promise<number> {
  const pool = new Agent({ keepAlive: true, maxSockets: AT_A_TIME })
  const rate = await postsPerSecond(body, (headers) => {
    return new Promise<void>((resolve, reject) => {
      const options = { agent: pool, method: 'POST', headers: { ...headers, 'content-length': body.length } }
      const posted = request(`${receiverUrl}/count`, options, (answer) => answer.resume().on('end', resolve))
      posted.on('error', reject).end(body)
    })
  })
  pool.destroy()
  return rate
}

/**
 * Sends the POSTs with the HTTP client of a stack, but without a database: the highest rate that deliveries can reach.
 */
async function clientPostsPerSecond(body: Buffer): Promise<number> {
  const outbound = createOutbound({ allowLocal: true })
  const options = { method: 'POST', body, timeoutMs: 10_000, maxBytes: 65_536 } as const
  const rate = await postsPerSecond(body, (headers) => outbound.send(`${receiverUrl}/count`, { ...options, headers }))
  outbound.close()
  return rate
}

const counting = await subscribe('/count')
const rates = { ours: [] as number[], bare: [] as number[], client: [] as number[] }
for (let round = 0; round < ROUNDS; round++) {
  rates.ours.push(await deliveriesPerSecond())
  const { rows } = await tenant.query('select body from outbound_events limit 1')
  rates.bare.push(await barePostsPerSecond(rows[0].body))
  rates.client.push(await clientPostsPerSecond(rows[0].body))
}
await api(`/webhooks/${counting}`, { method: 'DELETE' })
const [ours, bare, client] = [rates.ours, rates.bare, rates.client].map((each) => median(each).toFixed(0))
process.stdout.write(
  `${ours} deliveries a second; signed POSTs: ${bare} with the client of Node, ${client} with ours\n`,
)
/** The ratio is computed for each round, because the speed of the machine changes during a run. */
const multiple = median(rates.bare.map((rate, round) => rate / rates.ours[round]!))
const figures: Figure[] = [
  {
    what: `signed POSTs a second, as a multiple of deliveries a second (inverse ${(1 / multiple).toFixed(2)})`,
    measured: multiple,
    limit: 1 / 0.7,
    unit: '×',
  },
]

for (let i = 0; i < HANGING; i++) await subscribe(`/hang/${i}`)
await subscribe('/report')
const delays: number[] = []
for (let i = 0; i < SAMPLES; i++) {
  const arrived = nextMessage('arrived')
  await post()
  const takenAt = performance.timeOrigin + performance.now()
  delays.push((await arrived).atMs - takenAt)
  await sleep(250)
}
const what = `from the 202 to the receiver, while ${HANGING} others do not answer`
figures.push({ what: `${what}, p50`, measured: Math.max(0, median(delays)), limit: 1000, unit: 'ms' })
figures.push({ what: `${what}, slowest of ${SAMPLES}`, measured: Math.max(...delays), limit: 1000, unit: 'ms' })

report('webhooks', figures)
await tenant.end()
agent.destroy()
await system.remove()
receiver.kill()
