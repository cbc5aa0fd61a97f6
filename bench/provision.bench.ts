import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { childrenOf, memoryMb, peakMemoryMb } from './processes.ts'
import { type Figure, median, report, timed } from './report.ts'
import { openTenantServer } from './tenant-server.ts'

/** Measures starts, creations of small and large sandboxes, wakes and a reset, with the memory and disk they take. */

const figures: Figure[] = []
const note = (what: string, measured: number, limit: number, unit = 's') =>
  figures.push({ what, measured, limit, unit })

const first = await timed(() => startSystem())
note('first start, empty data folder', first.seconds, 10)
const { dataDir, url } = first.value
await first.value.stop()
const env = { MAX_ACTIVE_SANDBOXES: '30' }
const second = await timed(() => startSystem({ dataDir, port: Number(new URL(url).port), env }))
note('second start', second.seconds, 4)
const system = second.value

const { operator, api, waitWhileProvisioning } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')

async function create(body: object): Promise<{ sandboxId: string; apiUrl: string }> {
  const { json } = await api(key, '/api/v1/sandboxes', { body: { name: 'Bench', ...body } })
  const record = await waitWhileProvisioning(key, json.sandboxId)
  if (record.status !== 'ready') throw new Error(`not ready: ${record.failureReason}`)
  return record
}

const creates: number[] = []
const sandboxes: { sandboxId: string; apiUrl: string }[] = []
for (let i = 0; i < 5; i++) {
  const { value, seconds } = await timed(() => create({ seed: `bench-${i}` }))
  sandboxes.push(value)
  creates.push(seconds)
}
note('default sandbox, until ready', median(creates), 4)

const stacks = () => childrenOf(system.pid, 'serve').map(memoryMb)

note(
  'memory of five stopped stacks',
  stacks().reduce((sum, mb) => sum + mb, 0),
  1,
  'MB',
)
while (sandboxes.length < 20) {
  sandboxes.push(await create({ seed: `small-${sandboxes.length}`, seedTelemetryDays: 1 }))
}
const wakes: number[] = []
for (const { apiUrl } of sandboxes) {
  // After a wake has used the spare process, the next one starts half a second later.
  await sleep(2_000)
  wakes.push((await timed(() => call(`${apiUrl}/healthz`))).seconds)
}
wakes.sort((a, b) => a - b)
note('a wake, median of twenty', median(wakes), 0.3)
note('a wake, the second slowest of twenty', wakes.at(-2)!, 0.45)
await sleep(10_000)
note('memory of a running, idle stack', median(stacks()), 85, 'MB')
await system.stop()

const third = (await timed(() => startSystem({ dataDir, port: Number(new URL(url).port), env }))).value
const server = openTenantServer(dataDir)
const remove = (sandboxId: string) => api(key, `/api/v1/sandboxes/${sandboxId}`, { method: 'DELETE' })

async function large(what: string, body: object, limit: number) {
  const created = await timed(() => withMemoryWatch(() => create(body)))
  note(`${what}, until ready`, created.seconds, limit)
  note('  memory of its seeding process', created.value.peakMb, 300, 'MB')
  note('  size of its database on disk', (await server.sizeOf(created.value.value.sandboxId)) / 2 ** 20, 1_536, 'MB')
  return { sandboxId: created.value.value.sandboxId, seconds: created.seconds }
}

/** Records the peak memory of all seeding processes during the work. */
async function withMemoryWatch<T>(work: () => Promise<T>): Promise<{ value: T; peakMb: number }> {
  let peakMb = 0
  const watch = setInterval(() => {
    for (const pid of childrenOf(third.pid, 'seed')) peakMb = Math.max(peakMb, peakMemoryMb(pid))
  }, 100)
  const value = await work()
  clearInterval(watch)
  return { value, peakMb }
}

const middle = await large('20 storeys, realistic, 30 days', { storeys: 20, seedTelemetryDays: 30, seed: 'm' }, 20)
await remove(middle.sandboxId)
const body = { storeys: 50, equipmentDensity: 'dense', seedTelemetryDays: 30, seed: 'l' }
const tower = await large('50 storeys, dense, 30 days', body, 90)
note(
  '  as a multiple of a bare COPY of its rows',
  tower.seconds / (await server.bareCopySeconds(tower.sandboxId)),
  2,
  '×',
)
const reset = await timed(async () => {
  await api(key, `/api/v1/sandboxes/${tower.sandboxId}/reset`, { method: 'POST' })
  await waitWhileProvisioning(key, tower.sandboxId)
})
note('  a reset, as a multiple of the creation', reset.seconds / tower.seconds, 1.1, '×')
report('provision', figures)
await third.remove()
