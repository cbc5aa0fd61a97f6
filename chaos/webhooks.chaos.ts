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
/** Restarts of a stack that crashes repeatedly are delayed more and more; with ten stacks each has time to recover. */
const SANDBOXES = 10
/** Writers for each sandbox, so that a delivery is nearly always in progress. */
const WRITERS = 4
const TIMEOUT_MS = 120_000
/** How long the test waits at the end: deliveries of a killed stack are sent again when their lease has expired. */
const LEASE_MS = 40_000

/** The hash of each body that the receiver got, by idempotency key. */
const hashes = new Map<string, string>()
const delivered = new Set<string>()
let received = 0
let changed = 0

/** Answers slowly, so that a stack is often killed between the request and its response. */
const receiver = createServer(async (request, response) => {
  const body = await buffer(request)
  const key = String(request.headers['x-svc-idempotency-key'])
  const hash = createHash('sha256').update(body).digest('hex')
  if ((hashes.get(key) ?? hash) !== hash) changed++
  hashes.set(key, hash)
  received++
  for (const { value } of JSON.parse(body.toString('utf8')).data.observations) delivered.add(value)
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

/**
 * Sends one observation after another, each until it is accepted. A retry may be stored twice and delivered under two
 * idempotency keys.
 */
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

const missing = () => acknowledged.filter((value) => !delivered.has(value)).length
/** A request starts a stack that was killed. */
async function wakeAll(): Promise<void> {
  for (const { apiUrl } of targets) await call(`${apiUrl}/healthz`).catch(() => undefined)
  await sleep(1000)
}
for (const until = Date.now() + TIMEOUT_MS; missing() > 0 && Date.now() < until; ) await wakeAll()
for (const until = Date.now() + LEASE_MS; Date.now() < until; ) await wakeAll()
const lost = missing()
await system.remove()
receiver.closeAllConnections()
receiver.close()
process.stdout.write(
  `${KILLS} kills; ${acknowledged.length.toLocaleString('en')} events acknowledged, ${lost} lost; ` +
    `${received.toLocaleString('en')} attempts with ${hashes.size.toLocaleString('en')} idempotency keys, ${changed} with a ` +
    `different body; ${refused} failed requests\n`,
)
process.exit(lost + changed === 0 && acknowledged.length > 0 ? 0 : 1)
