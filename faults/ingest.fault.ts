import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf } from '../acceptance/system/actors.ts'
import { type Answer, call } from '../acceptance/system/call.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { childrenOf } from '../bench/processes.ts'

/**
 * Observations under load while the stack, or PostgreSQL, is killed fifty times. What was acknowledged must be there,
 * once and as it was sent; what was not may be there or not.
 */
const KILLS = 50
const WRITERS = 4
const START = Date.now() - 12 * 3_600_000

const system = await startSystem({ env: { RATE_LIMIT_PER_MINUTE: '0' } })
const { operator, newSandbox } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
const { connection } = await newSandbox(key, { storeys: 2, spacesMin: 4, spacesMax: 6 })
const base = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`
const { token } = connection
const points: string[] = (await call(`${base}/points?limit=${WRITERS}`, { token })).json.data.map(
  ({ id }: { id: string }) => id,
)

const acknowledged = points.map(() => new Map<number, string>())
let isOver = false
let refused = 0

async function write(writer: number): Promise<void> {
  for (let round = 0; !isOver; round++) {
    const observations = Array.from({ length: 100 }, (_, i) => ({
      pointId: points[writer]!,
      value: String(round * 100 + i),
      timestamp: new Date(START + (round * 100 + i) * 10).toISOString(),
    }))
    const answer = await call(`${base}/telemetry/observations`, { token, body: { observations } }).catch(
      () => undefined,
    )
    if (answer?.status === 202) {
      for (const { timestamp, value } of observations) acknowledged[writer]!.set(Date.parse(timestamp), value)
    } else {
      refused++
      if (answer !== undefined && answer.status < 500) throw new Error(`refused: ${answer.text}`)
      // The same once more, as a client does: it may have been stored after all.
      round--
      await sleep(50)
    }
  }
}

function postgresPid(): number {
  return Number(readFileSync(join(system.dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
}

async function kill(number: number): Promise<void> {
  await sleep(200 + Math.random() * 400)
  if (number % 5 === 4) return void process.kill(postgresPid(), 'SIGKILL')
  for (const pid of childrenOf(system.pid, 'serve')) process.kill(pid, 'SIGKILL')
}

async function readAll(pointId: string): Promise<Map<number, string>> {
  const found = new Map<number, string>()
  let from: string | null = new Date(START).toISOString()
  while (from !== null) {
    const query = `pointId=${pointId}&from=${from}&to=${new Date(Date.now() + 3_600_000).toISOString()}&limit=10000`
    const answer: Answer = await call(`${base}/telemetry/observations?${query}`, { token })
    if (answer.status !== 200) {
      await sleep(500)
      continue
    }
    for (const { timestamp, value } of answer.json.data) {
      const at = Date.parse(timestamp)
      if (found.has(at)) throw new Error(`${timestamp} came twice`)
      found.set(at, value)
    }
    from = answer.json.nextFrom
  }
  return found
}

const writing = points.map((_, writer) => write(writer))
for (let i = 0; i < KILLS; i++) {
  await kill(i)
  // Until it answers again: a kill of what is down proves nothing.
  for (;;) {
    const answer = await call(base, { token }).catch(() => undefined)
    if (answer?.status === 200) break
    await sleep(100)
  }
}
isOver = true
await Promise.all(writing)

let lost = 0
let changed = 0
let total = 0
for (const [writer, pointId] of points.entries()) {
  const found = await readAll(pointId)
  for (const [at, value] of acknowledged[writer]!) {
    total++
    if (!found.has(at)) lost++
    else if (found.get(at) !== value) changed++
  }
}
await system.remove()
process.stdout.write(
  `${KILLS} kills; ${total.toLocaleString('en')} observations acknowledged, ${lost} lost, ${changed} changed; ${refused} requests failed\n`,
)
process.exit(lost + changed === 0 && total > 0 ? 0 : 1)
