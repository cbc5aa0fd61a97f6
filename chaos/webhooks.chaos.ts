import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf } from '../acceptance/system/actors.ts'
import { type Answer, call } from '../acceptance/system/call.ts'
import { type System, startSystem } from '../acceptance/system/system.ts'
import { childrenOf } from '../bench/processes.ts'

const KILLS = 50
/** A stack that crashes repeatedly is restarted more and more slowly: with ten of them each has time to recover. */
const SANDBOXES = 10
/** Writers for each, so that something is nearly always on its way. */
const WRITERS = 4
const PATIENCE_MS = 120_000
/** What a killed stack was sending is sent again when its lease has ended. */
const LEASE_MS = 40_000

/** What came to the receiver, by idempotency key. */
const bytesOf = new Map<string, string>()
const told = new Set<string>()
let received = 0
let changed = 0

/** Takes its time, so that a stack is often killed after the receiver got a request and before it heard the answer. */
const receiver = createServer(async (request, response) => {
  const body = await buffer(request)
  const key = String(request.headers['x-svc-idempotency-key'])
  const hash = createHash('sha256').update(body).digest('hex')
  if ((bytesOf.get(key) ?? hash) !== hash) changed++
  bytesOf.set(key, hash)
  received++
  for (const { value } of JSON.parse(body.toString('utf8')).data.observations) told.add(value)
  await sleep(Math.random() * 100)
  response.end()
})
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`

const limits = { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0', MAX_ACTIVE_SANDBOXES: `${SANDBOXES}` }
const system = await startSystem({ env: limits })
const { operator, newSandbox } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
const targets: Answer['json'][] = []
for (let i = 0; i < SANDBOXES; i++) targets.push((await newSandbox(key)).connection)

const acknowledged: string[] = []
let refused = 0
let isOver = false

/** One observation after another, each until it is taken: it may then be told twice, under two keys. */
async function write({ apiUrl, buildingId, token }: Answer['json'], name: number): Promise<void> {
  const ask = async (path: string, body?: unknown): Promise<Answer> => {
    for (;;) {
      const options = body === undefined ? { token } : { token, body }
      const answer = await call(`${apiUrl}/api/v1${path}`, options).catch(() => undefined)
      if (answer !== undefined && answer.status < 300) return answer
      if (answer !== undefined && answer.status < 500) throw new Error(answer.text)
      refused++
      await sleep(50)
    }
  }
  const { json } = await ask(`/buildings/${buildingId}/points?limit=1`)
  for (let n = 0; !isOver; n++) {
    const value = `${name}/${n}`
    const observations = [{ pointId: json.data[0].id, value }]
    await ask(`/buildings/${buildingId}/telemetry/observations`, { observations })
    acknowledged.push(value)
  }
}

async function kill({ pid }: System): Promise<void> {
  await sleep(300 + Math.random() * 500)
  for (;;) {
    const stacks = childrenOf(pid, 'serve')
    const chosen = stacks[Math.floor(Math.random() * stacks.length)]
    if (chosen !== undefined) return void process.kill(chosen, 'SIGKILL')
    await sleep(50)
  }
}

for (const { apiUrl, token } of targets) {
  const body = { url: receiverUrl, events: ['building.point.updated'] }
  const { status, text } = await call(`${apiUrl}/api/v1/webhooks`, { token, body })
  if (status !== 201) throw new Error(text)
}
const writing = Promise.all(Array.from({ length: SANDBOXES * WRITERS }, (_, i) => write(targets[i % SANDBOXES], i)))
for (let i = 0; i < KILLS; i++) await kill(system)
isOver = true
await writing

const missing = () => acknowledged.filter((value) => !told.has(value)).length
/** A stack that was killed is started by whoever asks it something. */
async function wakeAll(): Promise<void> {
  for (const { apiUrl } of targets) await call(`${apiUrl}/healthz`).catch(() => undefined)
  await sleep(1000)
}
for (const until = Date.now() + PATIENCE_MS; missing() > 0 && Date.now() < until; ) await wakeAll()
for (const until = Date.now() + LEASE_MS; Date.now() < until; ) await wakeAll()
const lost = missing()
await system.remove()
receiver.closeAllConnections()
receiver.close()
process.stdout.write(
  `${KILLS} kills; ${acknowledged.length.toLocaleString('en')} events acknowledged, ${lost} lost; ` +
    `${received.toLocaleString('en')} deliveries of ${bytesOf.size.toLocaleString('en')} keys, ${changed} with other ` +
    `bytes; ${refused} times something failed\n`,
)
process.exit(lost + changed === 0 && acknowledged.length > 0 ? 0 : 1)
