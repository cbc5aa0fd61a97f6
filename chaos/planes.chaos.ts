// `npm run chaos -- planes [kills]`: two control planes and three replicas of one stack under ingest, while one of these
// processes after another is killed. Exits with 1 if an acknowledged observation is lost, changed or stored twice, if an
// event is not delivered to the webhook or has more than one idempotency key, or if a live connection misses an event.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { io } from 'socket.io-client'
import { startPlanes } from '../acceptance/planes/start-planes.ts'
import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { childrenOf } from '../bench/processes.ts'
import { natsServer } from './nats-server.ts'
import { createObserved } from './observed.ts'

const KILLS = Number(process.argv[3] ?? 50)
const REPLICAS = 3
const WRITERS = 3
const MESSAGE_SIZE = 20
/**
 * The time within which all events must be delivered. It is longer than the lease of a delivery, because another
 * process can send a delivery of a killed process only after the lease has ended.
 */
const DELIVERY_LIMIT_MS = 120_000
/** Every third kill is of a control plane, the others are of replicas. */
const PLANE_EVERY = 3

/** The hash of each body that the receiver got, by idempotency key. */
const hashes = new Map<string, string>()
/** The idempotency keys under which the receiver got each message. */
const keysOf = new Map<string, Set<string>>()
let changedBodies = 0
const receiver = createServer(async (request, response) => {
  const body = await buffer(request)
  const key = String(request.headers['x-svc-idempotency-key'])
  const hash = createHash('sha256').update(body).digest('hex')
  if ((hashes.get(key) ?? hash) !== hash) changedBodies++
  hashes.set(key, hash)
  for (const name of messagesIn(JSON.parse(body.toString('utf8')).data.observations))
    keysOf.set(name, (keysOf.get(name) ?? new Set()).add(key))
  await sleep(Math.random() * 50)
  response.end()
})
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))

const nats = await natsServer()
await nats.start()
const planes = await startPlanes(2, { STACK_REPLICAS: `${REPLICAS}`, NATS_URL: nats.urlOf('stacks') })
const { operator, newSandbox } = actorsOf(planes.all)
const { record, connection } = await newSandbox(
  await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox'),
)
const { apiUrl, buildingId, token } = connection
const base = `${apiUrl}/api/v1/buildings/${buildingId}`
const { json: points } = await call(`${base}/points?limit=${WRITERS}`, { token })
const pointIds: string[] = points.data.map(({ id }: { id: string }) => id)
const hook = {
  url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
  events: ['building.point.updated'],
}
if ((await call(`${apiUrl}/api/v1/webhooks`, { token, body: hook })).status !== 201) throw new Error('no webhook')

/**
 * The names of the messages in a list of observations. A message has `MESSAGE_SIZE + 1` observations (`observed.ts`); the
 * value of the first is the number of the message.
 */
function messagesIn(observations: { pointId: string; value: string; timestamp: string }[]): string[] {
  const found = observations.flatMap(({ pointId, value }, i) =>
    i % (MESSAGE_SIZE + 1) === 0 ? [`${pointId} ${value}`] : [],
  )
  return found
}

/** Acknowledged messages, with the number of times each was sent. */
const acknowledged = new Map<string, number>()
let failed = 0
let isOver = false

async function write(pointId: string) {
  const observed = createObserved(base, token, pointId, MESSAGE_SIZE)
  for (let n = 0; !isOver; n++) {
    const body = observed.body(n)
    for (let sent = 1; ; sent++) {
      const answer = await call(`${base}/telemetry/observations`, { token, body }).catch(() => undefined)
      if (answer?.status === 202) {
        observed.acknowledged(n)
        acknowledged.set(`${pointId} ${n}`, sent)
        break
      }
      if (answer !== undefined && answer.status < 500) throw new Error(answer.text)
      failed++
      await sleep(50)
    }
    await sleep(20)
  }
  return observed
}

/** The messages that the live client knows. The client resumes after each reconnect; if it cannot, it joins again. */
const seen = new Set<string>()
const live = { connects: 0, resumed: 0, snapshots: 0 }
const agent = new Agent({
  lookup: (_name, { all }, found) => {
    if (all) found(null, [{ address: '127.0.0.1', family: 4 }])
    else found(null, '127.0.0.1', 4)
  },
})
const socket = io(`${apiUrl}/buildings`, {
  ...{ forceNew: true, transports: ['websocket'], auth: { token }, agent: agent as never },
  ...{ reconnectionDelay: 50, reconnectionDelayMax: 500 },
})
let last: number | undefined
socket.on('building.point.updated', (fields, { sequence }: { sequence: number }) => {
  for (const name of messagesIn(fields.observations)) seen.add(name)
  last = sequence
})
socket.on('connect', async () => {
  live.connects++
  const after = last
  const resumed = after === undefined ? undefined : await socket.emitWithAck('resume', { buildingId, after })
  if (resumed?.ok) return void live.resumed++
  const joined = await socket.emitWithAck('join', { buildingId })
  if (!joined.ok) return void socket.disconnect().connect()
  if (after !== undefined) live.snapshots++
  last = joined.sequence
  // A real client would read the state now. The state has all messages acknowledged so far, so they count as seen.
  for (const name of acknowledged.keys()) seen.add(name)
})

const supervisor = (): number =>
  JSON.parse(readFileSync(join(planes.folder, 'runs', `${record.sandboxId}.json`), 'utf8')).pid

let restarting: Promise<void> = Promise.resolve()
async function kill(number: number): Promise<string> {
  await sleep(500 + Math.random() * 1_000)
  if (number % PLANE_EVERY === PLANE_EVERY - 1) {
    await restarting
    const index = Math.floor(Math.random() * 2)
    await planes.planes[index]!.kill9()
    restarting = planes.startAgain(index)
    return `control plane ${index}`
  }
  for (;;) {
    const replicas = childrenOf(supervisor(), 'serve')
    const chosen = replicas[Math.floor(Math.random() * replicas.length)]
    if (chosen !== undefined && replicas.length > 1) {
      process.kill(chosen, 'SIGKILL')
      return `replica ${chosen}`
    }
    await sleep(100)
  }
}

const writing = Promise.all(pointIds.map(write))
for (let i = 0; i < KILLS; i++) process.stdout.write(`${i + 1}: ${await kill(i)}\n`)
await restarting
await sleep(2_000)
isOver = true
const observed = await writing

const undelivered = () => [...acknowledged.keys()].filter((name) => !keysOf.has(name)).length
const unseen = () => [...acknowledged.keys()].filter((name) => !seen.has(name))
for (const until = Date.now() + DELIVERY_LIMIT_MS; undelivered() + unseen().length > 0 && Date.now() < until; )
  await sleep(500)
/** A message that was sent once is one event, so it must have one idempotency key. */
const doubled = [...acknowledged].filter(([name, sent]) => sent === 1 && (keysOf.get(name)?.size ?? 0) > 1).length
const sum = { acknowledged: 0, lost: 0, duplicated: 0, changed: 0 }
for (const point of observed) {
  const found = await point.compare()
  for (const name of ['acknowledged', 'lost', 'duplicated', 'changed'] as const) sum[name] += found[name]
}
const missed = unseen()
const missing = undelivered()
socket.disconnect()
await planes.close()
await nats.remove()
receiver.closeAllConnections()
receiver.close()
process.stdout.write(
  `${KILLS} kills of ${REPLICAS} replicas and 2 control planes; ${sum.acknowledged.toLocaleString('en')} observations ` +
    `acknowledged, ${sum.lost} lost, ${sum.duplicated} duplicated, ${sum.changed} changed; ${failed} failed requests; ` +
    `webhooks: ${missing} of ${acknowledged.size} not delivered, ${doubled} with a second key, ${changedBodies} with ` +
    `another body; live: ${live.connects} connects, ${live.resumed} resumed, ${live.snapshots} read the state, ` +
    `${missed.length} events missed\n`,
)
const errors = sum.lost + sum.duplicated + sum.changed + missing + doubled + changedBodies + missed.length
process.exit(errors === 0 && sum.acknowledged > 0 ? 0 : 1)
