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
/** A stack that crashes again and again is started ever more slowly: with ten of them each has its rest. */
const SANDBOXES = 10
const START = Date.now() - 12 * 3_600_000

const system = await startSystem({ env: { RATE_LIMIT_PER_MINUTE: '0', MAX_ACTIVE_SANDBOXES: `${SANDBOXES}` } })
const { operator, newSandbox } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')

interface Target {
  base: string
  token: string
  pointId: string
  acknowledged: Map<number, string>
}

async function newTarget(): Promise<Target> {
  const { connection } = await newSandbox(key)
  const { apiUrl, buildingId, token } = connection
  const base = `${apiUrl}/api/v1/buildings/${buildingId}`
  const { json } = await call(`${base}/points?limit=1`, { token })
  return { base, token, pointId: json.data[0].id, acknowledged: new Map() }
}
const targets: Target[] = []
for (let i = 0; i < SANDBOXES; i++) targets.push(await newTarget())

let isOver = false
let refused = 0

async function write({ base, token, pointId, acknowledged }: Target): Promise<void> {
  for (let round = 0; !isOver; round++) {
    const observations = Array.from({ length: 100 }, (_, i) => ({
      pointId,
      value: String(round * 100 + i),
      timestamp: new Date(START + (round * 100 + i) * 10).toISOString(),
    }))
    const answer = await call(`${base}/telemetry/observations`, { token, body: { observations } }).catch(
      () => undefined,
    )
    if (answer?.status === 202) {
      for (const { timestamp, value } of observations) acknowledged.set(Date.parse(timestamp), value)
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
  await sleep(300 + Math.random() * 500)
  if (number % 10 === 9) return void process.kill(postgresPid(), 'SIGKILL')
  for (;;) {
    const stacks = childrenOf(system.pid, 'serve')
    const chosen = stacks[Math.floor(Math.random() * stacks.length)]
    if (chosen !== undefined) return void process.kill(chosen, 'SIGKILL')
    await sleep(50)
  }
}

async function readAll({ base, token, pointId }: Target): Promise<Map<number, string>> {
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

const writing = targets.map(write)
for (let i = 0; i < KILLS; i++) await kill(i)
isOver = true
await Promise.all(writing)

let [lost, changed, total] = [0, 0, 0]
for (const target of targets) {
  const found = await readAll(target)
  for (const [at, value] of target.acknowledged) {
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
