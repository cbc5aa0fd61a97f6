import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { compareFanOut } from './fan-out.ts'
import type { ClientsCommand } from './live-clients.ts'
import { startSockets } from './live-sockets.ts'
import { childrenOf, memoryMb } from './processes.ts'
import { median, report } from './report.ts'

/**
 * A thousand clients of the live channel follow one building through the gateway while observations arrive over REST.
 * Measures the delay from the POST to each receipt, the lost receipts and the memory of the stack. Then it compares the
 * receipts a second with those of a bare Socket.IO server.
 */

const SOCKETS = 1_000
const EVENTS_PER_SECOND = 50
const OBSERVATIONS = 10
const SECONDS = Number(process.env.BENCH_SECONDS ?? 40)
const WARM_UP = 20

const system = await startSystem({
  env: {
    RATE_LIMIT_PER_MINUTE: '0',
    SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
    // All sockets open within a second, from one address.
    MAX_CONNECTIONS: '8000',
    MAX_CONNECTIONS_PER_ADDRESS: '2000',
  },
})
const { operator, newSandbox } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
const { connection } = await newSandbox(key, { storeys: 3, spacesMin: 5, spacesMax: 10 })
const { token, buildingId, apiUrl } = connection
const base = `${apiUrl}/api/v1/buildings/${buildingId}`
const { json } = await call(`${base}/points?limit=${OBSERVATIONS}`, { token })
const points: string[] = json.data.map(({ id }: { id: string }) => id)
const { host, port } = new URL(apiUrl)

const sockets = startSockets()
const command: ClientsCommand = { count: SOCKETS, port: Number(port), host, token, buildingId }
const connecting = performance.now()
await sockets.open(command)
process.stdout.write(`${SOCKETS} sockets in ${((performance.now() - connecting) / 1000).toFixed(1)} s\n`)

const agent = new Agent({ keepAlive: true, maxSockets: 16 })
const headers = { host, authorization: `Bearer ${token}`, 'content-type': 'application/json' }
function post(): Promise<void> {
  const value = String(performance.timeOrigin + performance.now())
  const body = JSON.stringify({ observations: points.map((pointId) => ({ pointId, value })) })
  return new Promise((resolve, reject) => {
    const path = `${new URL(base).pathname}/telemetry/observations`
    const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent }, (answer) => {
      if (answer.statusCode !== 202) reject(new Error(`answered ${answer.statusCode}`))
      answer.resume().on('end', resolve)
    })
    sent.on('error', reject).end(body)
  })
}

async function postFor(seconds: number): Promise<number> {
  const from = performance.now()
  const posts: Promise<void>[] = []
  while (posts.length < seconds * EVENTS_PER_SECOND) {
    const due = from + (posts.length * 1000) / EVENTS_PER_SECOND
    if (performance.now() < due) await sleep(Math.max(1, due - performance.now()))
    else posts.push(post())
  }
  await Promise.all(posts)
  return posts.length
}

await postFor(WARM_UP)
await sleep(500)
sockets.reset()
const [stackPid] = childrenOf(system.pid, 'serve')
const memory: number[] = []
const watching = setInterval(() => memory.push(memoryMb(stackPid!)), 1_000)
const count = await postFor(SECONDS)
clearInterval(watching)
await sleep(1_000)
// Garbage collection makes the memory go up and down, so the first third is compared with the last.
const third = Math.floor(memory.length / 3)
const before = median(memory.slice(0, third))
const after = median(memory.slice(-third))
const { received, lost, delays } = await sockets.tally()

/** A quantile of the delays of all receipts. */
function quantile(share: number): number {
  let left = received * share
  for (const bucket of [...delays.keys()].toSorted((a, b) => a - b)) {
    left -= delays.get(bucket)!
    if (left <= 0) return bucket / 10
  }
  return Number.NaN
}

process.stdout.write(`${received} receipts of ${count} events\n`)
const fanOut = await compareFanOut({ sockets, command, stackPid: stackPid!, post })
report('live channel', [
  { what: 'from POST to receipt, p50', measured: quantile(0.5), limit: 50, unit: 'ms' },
  { what: 'from POST to receipt, p99', measured: quantile(0.99), limit: 150, unit: 'ms' },
  { what: 'lost receipts', measured: Math.max(SOCKETS * count - received, lost), limit: 0, unit: '' },
  { what: 'memory of the stack', measured: after, limit: 400, unit: 'MB' },
  { what: `growth of memory in ${SECONDS} s`, measured: Math.max(0, after - before), limit: 30, unit: 'MB' },
  fanOut,
])
sockets.close()
agent.destroy()
await system.remove()
