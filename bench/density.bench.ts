import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf, SMALL } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { freePort, type System, startSystem } from '../acceptance/system/system.ts'
import { copySandboxes } from './copied-sandboxes.ts'
import { cpuSeconds } from './processes.ts'
import { type Figure, median, report, timed } from './report.ts'
import { openTenantServer } from './tenant-server.ts'

/**
 * Many sandboxes on one machine, most of them asleep. The cost of starting, listing, creating and idling must depend on
 * the number of awake sandboxes, not on the number of all sandboxes. The awake sandboxes, and those that are created
 * during the measurement, are real; the others are copies (copied-sandboxes.ts). `BENCH_SANDBOXES` is the number of
 * sandboxes at the second start; each takes about 10 MB of disk.
 */

const SANDBOXES = Number(process.env.BENCH_SANDBOXES ?? 1000)
const AWAKE = 20
const CREATES = 7
const LISTS = 500
const PAUSE_BEFORE_IDLE_S = 120
const IDLE_S = 60

const figures: Figure[] = []
const note = (what: string, measured: number, limit: number, unit = 's') =>
  figures.push({ what, measured, limit, unit })

const metricsPort = await freePort()
const unlimited = { MAX_ACTIVE_SANDBOXES: '10000', PROVISIONING_RATE_LIMIT_PER_MINUTE: '0' }
const env = { ...unlimited, METRICS_PORT: `${metricsPort}` }
const first = await startSystem({ env })
const { dataDir } = first
const port = Number(new URL(first.url).port)

interface Created {
  sandboxId: string
  apiUrl: string
  seconds: number
}

/** Creates sandboxes in an installation, one after another. */
async function creatorIn(installation: System): Promise<{ key: string; create(): Promise<Created> }> {
  const { operator, api } = actorsOf(installation)
  const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
  async function untilReady(): Promise<Omit<Created, 'seconds'>> {
    const { json } = await api(key, '/api/v1/sandboxes', { body: { name: 'Bench', seed: 'density', ...SMALL } })
    for (;;) {
      const { json: record } = await api(key, `/api/v1/sandboxes/${json.sandboxId}`)
      if (record.status === 'ready') return record
      if (record.status === 'failed') throw new Error(record.failureReason)
      await sleep(20)
    }
  }
  return {
    key,
    async create() {
      const { value, seconds } = await timed(untilReady)
      return { ...value, seconds }
    },
  }
}

const { key, create } = await creatorIn(first)
const original = await create()
const real: Created[] = []
for (let i = 0; i < AWAKE; i++) real.push(await create())
const server = openTenantServer(dataDir)
const control = await server.connect('storey')
const filled = await timed(() =>
  copySandboxes({ control, dataDir, urlOf: server.urlOf }, original.sandboxId, SANDBOXES - AWAKE - 1),
)
process.stdout.write(`${SANDBOXES} sandboxes after ${filled.seconds.toFixed(0)} s\n`)
// Writes the new databases to disk now. Otherwise the next stop would take long, and delay the start after it.
await control.query('checkpoint')
await control.end()
await first.stop()

const started = await timed(() => startSystem({ dataDir, port, env }))
const system = started.value
note(`start with ${SANDBOXES} sandboxes`, started.seconds, 3)
for (const { apiUrl } of real) await call(`${apiUrl}/healthz`)

const { api } = actorsOf(system)
const lists: number[] = []
for (let i = 0; i < LISTS; i++) {
  const path = `/api/v1/sandboxes?limit=50&offset=${(i * 50) % SANDBOXES}`
  const { value, seconds } = await timed(() => api(key, path))
  if (value.status !== 200) throw new Error(value.text)
  lists.push(seconds * 1000)
}
note('a page of the list of sandboxes, p99', lists.toSorted((a, b) => a - b)[Math.floor(LISTS * 0.99)]!, 50, 'ms')

/** Creates sandboxes here and in an empty installation in turns: the speed of a shared machine changes within minutes. */
async function createInTurns(): Promise<void> {
  const empty = await startSystem({ env: unlimited })
  const few = await creatorIn(empty)
  await few.create()
  const pairs: { alone: number; multiple: number }[] = []
  for (let i = 0; i < CREATES; i++) {
    const { seconds: alone } = await few.create()
    const { seconds } = await create()
    pairs.push({ alone, multiple: seconds / alone })
  }
  await empty.remove()
  const alone = median(pairs.map((pair) => pair.alone)).toFixed(2)
  const multiple = median(pairs.map((pair) => pair.multiple))
  note(`a creation, as a multiple of one in an empty installation (${alone} s)`, multiple, 1.3, '×')
}
await createInTurns()

await sleep(PAUSE_BEFORE_IDLE_S * 1000)
const before = cpuSeconds(system.pid)
await sleep(IDLE_S * 1000)
const after = cpuSeconds(system.pid)
for (const part of ['control plane', 'stacks', 'PostgreSQL'] as const) {
  const share = ((after[part] - before[part]) / IDLE_S) * 100
  process.stdout.write(`idle, ${part}: ${share.toFixed(2)} % of a processor\n`)
}
note(`idle, ${AWAKE} awake, share of a processor`, ((after.total - before.total) / IDLE_S) * 100, 2, '%')
const scrapes: number[] = []
for (let i = 0; i < 20; i++) {
  scrapes.push((await timed(() => call(`http://127.0.0.1:${metricsPort}/metrics`))).seconds * 1000)
}
note('a scrape of the metrics, median', median(scrapes), 200, 'ms')
report('density', figures)
await system.remove()
