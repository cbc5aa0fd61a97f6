import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { childrenOf, memoryMb, peakMemoryMb } from '../bench/processes.ts'

/**
 * `npm run chaos -- simulation [seconds of each speed] [speeds, such as 60,600]`
 *
 * Simulates one of the largest possible buildings, at several speeds, while a client reads. The simulation must slow
 * down, and the stack must not crash. Exits with 1 if the stack crashed or reached its memory limit, or if a read was
 * answered with anything but 200.
 */

const SECONDS = Number(process.argv[3] ?? 30)
const SPEEDS = (process.argv[4] ?? '1,60,600').split(',').map(Number)
const LIMIT_MB = 512
const LARGEST = { storeys: 50, spacesMin: 200, spacesMax: 200, equipmentDensity: 'dense', seedTelemetryDays: 0 }

const system = await startSystem({ env: { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' } })
const { operator, newSandbox } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
const { connection } = await newSandbox(key, LARGEST)
const { token } = connection
const base = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`
const print = (text: string) => process.stdout.write(`${text}\n`)

const pids = new Set<number>()
let worst = 0
const unexpected = new Map<number, number>()

async function run(speed: number): Promise<void> {
  const series: number[] = []
  const durations: number[] = []
  const started = await call(`${base}/simulation`, { token, method: 'POST', body: { running: true, speed } })
  const sentBefore = started.json.simulatedAt
  const watch = setInterval(() => {
    const all = childrenOf(system.pid, 'serve')
    for (const pid of all) pids.add(pid)
    series.push(Math.round(Math.max(0, ...all.map(memoryMb))))
    worst = Math.max(worst, ...all.map(peakMemoryMb))
  }, 250)
  for (const until = performance.now() + SECONDS * 1000; performance.now() < until; await sleep(500)) {
    const at = performance.now()
    const { status } = await call(`${base}/storeys?limit=1`, { token })
    durations.push(Math.round(performance.now() - at))
    if (status !== 200) unexpected.set(status, (unexpected.get(status) ?? 0) + 1)
  }
  clearInterval(watch)
  const { json } = await call(`${base}/simulation`, { token })
  const every = Math.max(1, Math.floor(series.length / 24))
  print(`speed ${speed}: peak ${Math.max(...series)} MB, slowest read ${Math.max(...durations)} ms`)
  print(`  MB over time: ${series.filter((_, i) => i % every === 0).join(' ')}`)
  print(`  simulated from ${sentBefore} to ${json.simulatedAt}`)
}

for (const speed of SPEEDS) await run(speed)
const restarts = pids.size - 1
print(
  system
    .output()
    .split('\n')
    .filter((line) => /\b(warn|error)\b/.test(line))
    .join('\n'),
)
print(`${restarts} restarts, peak ${Math.round(worst)} MB of ${LIMIT_MB}`)
if (unexpected.size > 0) print(`unexpected answers: ${[...unexpected].map(([what, n]) => `${what}: ${n}`).join(', ')}`)
await system.remove()
process.exit(restarts > 0 || worst >= LIMIT_MB || unexpected.size > 0 ? 1 : 0)
