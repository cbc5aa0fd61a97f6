import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectAsync } from 'mqtt'
import { freePort, startSystem } from '../acceptance/system/system.ts'
import { loadOf, MESSAGE_SIZE } from '../bench/loads.ts'
import { childrenOf, memoryMb } from '../bench/processes.ts'
import { newTower } from '../bench/tower.ts'

/**
 * `npm run chaos -- memory [seconds of each phase] [phases, such as 0,3]`
 *
 * Sends observations as fast as possible: over few and many connections, in small and large bodies, over REST and MQTT
 * in parallel, with large reads at the same time. The stack must slow the clients down and never crash. Exits with 1
 * when the stack crashed or reached its memory limit, when a write got no response or one other than 202 or a 503 with
 * Retry-After, or when a read got no response or one other than 200 or 503.
 */

const SECONDS = Number(process.argv[3] ?? 25)
const ONLY = process.argv[4]?.split(',')
const LIMIT_MB = 512

interface Phase {
  name: string
  connections: number
  /** How many messages of a thousand observations one body holds. */
  messages: number
  mqtt?: number
  readers?: number
}
const PHASES: Phase[] = [
  { name: '4 connections, 110 KB', connections: 4, messages: 1 },
  { name: '16 connections, 110 KB', connections: 16, messages: 1 },
  { name: '64 connections, 110 KB', connections: 64, messages: 1 },
  { name: '16 connections, 9 MB', connections: 16, messages: 85 },
  { name: '64 connections, 9 MB', connections: 64, messages: 85 },
  { name: '16 connections, 110 KB, MQTT, 8 readers', connections: 16, messages: 1, mqtt: 4, readers: 8 },
]

const mqttPort = await freePort()
const system = await startSystem({
  env: {
    RATE_LIMIT_PER_MINUTE: '0',
    SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
    SANDBOX_STORAGE_MB: '0',
    MQTT_ENABLED: 'true',
    MQTT_PORT: `${mqttPort}`,
  },
})
const { connection, base, points } = await newTower(system)
const load = loadOf('json', points)
const print = (text: string) => process.stdout.write(`${text}\n`)

const { hostname, port, host } = new URL(connection.apiUrl)
const address = hostname.endsWith('localhost') ? '127.0.0.1' : hostname
interface Outcome {
  status: number
  retryAfter: string | undefined
}
function send(agent: Agent, method: string, path: string, body?: Buffer): Promise<Outcome> {
  return new Promise((resolve) => {
    const headers = {
      host,
      authorization: `Bearer ${connection.token}`,
      ...(body ? { 'content-type': 'application/json', 'content-length': body.length } : {}),
    }
    const asked = request({ host: address, port, path, method, agent, headers }, (answer) => {
      answer.resume()
      answer.on('close', () => resolve({ status: answer.statusCode!, retryAfter: answer.headers['retry-after'] }))
    })
    asked.on('error', () => resolve({ status: 0, retryAfter: undefined }))
    asked.end(body)
  })
}

/** Joins several messages into one body. */
function joined(messages: Buffer[]): Buffer {
  if (messages.length === 1) return messages[0]!
  const inner = messages.map((bytes) => bytes.subarray('{"observations":['.length, bytes.length - 2))
  return Buffer.concat([
    Buffer.from('{"observations":['),
    ...inner.flatMap((bytes, i) => (i === 0 ? [bytes] : [Buffer.from(','), bytes])),
    Buffer.from(']}'),
  ])
}

const pids = new Set<number>()
let worst = 0
const unexpected = new Map<string, number>()
const path = new URL(base).pathname

async function run({ name, connections, messages, mqtt = 0, readers = 0 }: Phase): Promise<void> {
  const until = performance.now() + SECONDS * 1000
  const isOver = () => performance.now() > until
  const agent = new Agent({ keepAlive: true, maxSockets: connections + readers })
  const counts = new Map<string, number>()
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)
  let observations = 0
  let peak = 0
  const series: number[] = []
  const watch = setInterval(() => {
    const all = childrenOf(system.pid, 'serve')
    for (const pid of all) pids.add(pid)
    const mb = Math.max(0, ...all.map(memoryMb))
    peak = Math.max(peak, mb)
    series.push(Math.round(mb))
  }, 500)

  const writers = Array.from({ length: connections }, async () => {
    const sender = load.sender()
    while (!isOver()) {
      const body = joined(Array.from({ length: messages }, () => Buffer.from(sender.next())))
      const { status, retryAfter } = await send(agent, 'POST', `${path}/telemetry/observations`, body)
      count(`${status}${status === 503 && retryAfter === undefined ? ' without Retry-After' : ''}`)
      if (status === 202) observations += messages * MESSAGE_SIZE
      else await sleep(Number(retryAfter ?? 1) * 1000)
    }
  })
  const clients = await Promise.all(
    Array.from({ length: mqtt }, () =>
      connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
        username: connection.mqtt.username,
        password: connection.mqtt.password,
        reconnectPeriod: 500,
      }),
    ),
  )
  const publishers = clients.flatMap((client) => {
    client.on('error', () => undefined)
    return Array.from({ length: 8 }, async () => {
      const sender = load.sender()
      while (!isOver()) {
        await client.publishAsync(connection.mqtt.topic, sender.next(), { qos: 1 })
        count('mqtt')
        observations += MESSAGE_SIZE
      }
    })
  })
  const ways = [
    () => `${path}/telemetry/latest`,
    () =>
      `${path}/telemetry/observations?pointId=${points[Math.floor(Math.random() * 1000)]}&from=2020-01-01T00:00:00Z&limit=10000`,
    () => `${path}/graph`,
    () => `${path}/graph?format=turtle`,
  ]
  const reading = Array.from({ length: readers }, async (_, i) => {
    while (!isOver()) {
      const { status, retryAfter } = await send(agent, 'GET', ways[i % ways.length]!())
      count(`read ${i % ways.length} ${status}`)
      if (status !== 200) await sleep(Number(retryAfter ?? 1) * 1000)
    }
  })
  const from = performance.now()
  await Promise.all([...writers, ...publishers, ...reading])
  const seconds = (performance.now() - from) / 1000
  clearInterval(watch)
  await Promise.all(clients.map((client) => client.endAsync()))
  agent.destroy()
  worst = Math.max(worst, peak)
  for (const [what, n] of counts) if (!/^(202|503|mqtt|read \d (200|503))$/.test(what)) unexpected.set(what, n)
  const every = Math.max(1, Math.floor(series.length / 12))
  print(
    `${name}: ${Math.round(observations / seconds).toLocaleString('en')} observations/s, peak ${Math.round(peak)} MB`,
  )
  print(`  MB over time: ${series.filter((_, i) => i % every === 0).join(' ')}`)
  print(`  ${[...counts].map(([what, n]) => `${what}: ${n}`).join(', ')}`)
}

for (const [i, phase] of PHASES.entries()) if (ONLY?.includes(`${i}`) ?? true) await run(phase)
const restarts = pids.size - 1
const lines = system.output().split('\n')
print(lines.filter((line) => /\b(warn|error)\b/.test(line)).join('\n'))
print(`${restarts} restarts, peak ${Math.round(worst)} MB of ${LIMIT_MB}`)
if (unexpected.size > 0)
  print(`unexpected statuses, 0 for no response: ${[...unexpected].map(([what, n]) => `${what}: ${n}`).join(', ')}`)
await system.remove()
process.exit(restarts > 0 || worst >= LIMIT_MB || unexpected.size > 0 ? 1 : 0)
