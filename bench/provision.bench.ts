import { execFileSync } from 'node:child_process'
import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { type Figure, median, report, timed } from './report.ts'

/** From an empty data folder to a sandbox that answers, and how fast it comes back from sleep. */
const figures: Figure[] = []
const note = (what: string, measured: number, limit: number, unit = 's') =>
  figures.push({ what, measured, limit, unit })

const first = await timed(() => startSystem())
note('first start, empty data folder', first.seconds, 10)
const { dataDir, url } = first.value
await first.value.stop()
const env = { MAX_ACTIVE_SANDBOXES: '20' }
const second = await timed(() => startSystem({ dataDir, port: Number(new URL(url).port), env }))
note('second start', second.seconds, 4)
const system = second.value

const { operator, api, untilSettled } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')

async function create(body: object): Promise<{ sandboxId: string; apiUrl: string }> {
  const { json } = await api(key, '/api/v1/sandboxes', { body: { name: 'Bench', ...body } })
  const record = await untilSettled(key, json.sandboxId)
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
note('default create, until ready', median(creates), 4)

/** The stacks that run, as the operating system sees them. */
const stacks = () =>
  execFileSync('ps', ['-eo', 'ppid=,rss=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([parent, , ...args]) => parent === String(system.pid) && args.at(-1) === 'serve')
    .map(([, rss]) => Number(rss) / 1024)

note(
  'memory of five stopped stacks',
  stacks().reduce((sum, mb) => sum + mb, 0),
  1,
  'MB',
)
const wakes: number[] = []
for (const { apiUrl } of sandboxes) wakes.push((await timed(() => call(`${apiUrl}/healthz`))).seconds)
note('the very first wake', wakes[0]!, 1.5)
note('a wake, median of five', median(wakes), 1.5)
note('memory of a running stack', median(stacks()), 200, 'MB')
report('provision', figures)
await system.remove()
