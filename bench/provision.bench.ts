import { execFileSync } from 'node:child_process'
import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { type Figure, median, report, seconds } from './report.ts'

/** From an empty data folder to a sandbox that answers, and how fast it comes back from sleep. */
const figures: Figure[] = []
const note = (what: string, measured: number, limit: number, unit = 's') => figures.push({ what, measured, limit, unit })

let system!: Awaited<ReturnType<typeof startSystem>>
note('first start, empty data folder', await seconds(async () => void (system = await startSystem())), 10)
const port = Number(new URL(system.url).port)
await system.stop()
const again = { dataDir: system.dataDir, port, env: { MAX_ACTIVE_SANDBOXES: '20' } }
note('second start', await seconds(async () => void (system = await startSystem(again))), 4)

const { operator, api, untilSettled } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')

async function create(body: object): Promise<{ sandboxId: string; apiUrl: string }> {
  const { json } = await api(key, '/api/v1/sandboxes', { body: { name: 'Bench', ...body } })
  const record = await untilSettled(key, json.sandboxId)
  if (record.status !== 'ready') throw new Error(`not ready: ${record.failureReason}`)
  return record
}

const creates: number[] = []
let sandbox!: { sandboxId: string; apiUrl: string }
for (let i = 0; i < 3; i++) creates.push(await seconds(async () => void (sandbox = await create({ seed: `bench-${i}` }))))
note('default create, until ready', median(creates), 4)

const stackPids = () =>
  execFileSync('ps', ['-eo', 'pid=,ppid=,rss=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, , ...args]) => parent === String(system.pid) && args.join(' ').includes('serve'))
    .map(([pid, , rss]) => ({ pid: Number(pid), rssMb: Number(rss) / 1024 }))

note('memory of a stopped stack', stackPids().reduce((sum, { rssMb }) => sum + rssMb, 0), 1, 'MB')
const wakes: number[] = []
for (let i = 0; i < 5; i++) {
  wakes.push(await seconds(() => call(`${sandbox.apiUrl}/healthz`)))
  if (i === 0) note('memory of a running stack', stackPids()[0]!.rssMb, 150, 'MB')
  for (const { pid } of stackPids()) process.kill(pid, 'SIGTERM')
  while (stackPids().length > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  await new Promise((resolve) => setTimeout(resolve, 2_000))
}
note('wake, first request answered', wakes[0]!, 1.5)
report('provision', figures)
await system.remove()
