import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { processes } from '../acceptance/system/processes.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { CONNECTIONS, loadOf, posted } from './loads.ts'
import { childrenOf, cpuOf, cpuSeconds } from './processes.ts'
import { median, timed } from './report.ts'
import { countStolenTime } from './stolen-time.ts'
import { openTenantServer } from './tenant-server.ts'
import { newTower } from './tower.ts'

/**
 * What a sandbox costs asleep, awake and under load: memory, connections, processes, disk and CPU time. The sandboxes
 * have the default building; the one under load has 5,000 points. docs/scale.md uses these figures.
 */

const SANDBOXES = Number(process.env.BENCH_SANDBOXES ?? 10)
const PAUSE_S = 40
const IDLE_S = 45
/** These fields are left out, so that the service uses its defaults, as for most sandboxes. */
const DEFAULT = { seedTelemetryDays: undefined, storeys: undefined, spacesMin: undefined, spacesMax: undefined }
const LOAD_S = Number(process.env.BENCH_SECONDS ?? 20)

const stolen = countStolenTime()
const print = (what: string, value: number, unit: string) =>
  process.stdout.write(`${what}: ${value >= 100 ? value.toFixed(0) : value.toFixed(2)} ${unit}\n`)

/** Memory that only these processes use, and their part of what they share with others. */
function memoryOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
      return sum + Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024
    } catch {
      return sum
    }
  }, 0)
}

const env = {
  MAX_ACTIVE_SANDBOXES: '100',
  RATE_LIMIT_PER_MINUTE: '0',
  SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
}
const system = await startSystem({ env })
const { operator, newSandbox } = actorsOf(system)
const server = openTenantServer(system.dataDir)
const control = await server.connect('storey')
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
const created: { sandboxId: string; apiUrl: string }[] = []
const creations: number[] = []
for (let i = 0; i < SANDBOXES; i++) {
  const { value, seconds } = await timed(() => newSandbox(key, { seed: `cost-${i}`, ...DEFAULT }))
  creations.push(seconds)
  created.push(value.record)
}

const stacks = () => childrenOf(system.pid, 'serve')
const backendsOf = async (sandboxId: string): Promise<number[]> => {
  const { rows } = await control.query('select pid from pg_stat_activity where datname like $1', [`%${sandboxId}`])
  return rows.map(({ pid }) => pid)
}
async function allBackends(): Promise<number[]> {
  const pids: number[] = []
  for (const { sandboxId } of created) pids.push(...(await backendsOf(sandboxId)))
  return pids
}

async function cpuShare(): Promise<ReturnType<typeof cpuSeconds>> {
  const before = cpuSeconds(system.pid)
  await sleep(IDLE_S * 1000)
  const after = cpuSeconds(system.pid)
  const share = (part: keyof typeof after) => ((after[part] - before[part]) / IDLE_S) * 100
  return {
    'control plane': share('control plane'),
    stacks: share('stacks'),
    PostgreSQL: share('PostgreSQL'),
    total: share('total'),
  }
}

print('a creation, until ready, median', median(creations), 's')
await sleep(PAUSE_S * 1000)
process.stdout.write('asleep\n')
print('  processes', stacks().length, '')
print('  connections', (await allBackends()).length, '')
const sizes = await Promise.all(created.map(({ sandboxId }) => server.sizeOf(sandboxId)))
print('  database on disk, median', median(sizes) / 2 ** 20, 'MB')
const { rows: files } = await control.query(
  `select count(*) / count(distinct d.oid)::float as files from pg_database d, pg_ls_dir('base/' || d.oid) where datname like '%sbx%'`,
)
print('  files of its database', files[0].files, '')
const { rows } = await control.query("select pg_total_relation_size('sandboxes') as bytes")
print('  rows of all sandboxes in the control database', Number(rows[0].bytes) / 1024, 'KB')
const folderOf = (sandboxId: string) => join(system.dataDir, 'sandboxes', sandboxId)
print('  files in its folder', readdirSync(folderOf(created[0]!.sandboxId)).length, '')
const asleep = await cpuShare()
print('  CPU time of the whole installation', asleep.total, '% of a processor')
print('  memory of the control plane', memoryOf([system.pid]), 'MB')

for (const { apiUrl } of created) await call(`${apiUrl}/healthz`)
await sleep(PAUSE_S * 1000)
process.stdout.write('awake, without requests\n')
print('  processes, for each', stacks().length / SANDBOXES, '')
print('  memory of its process, median', median(stacks().map((pid) => memoryOf([pid]))), 'MB')
const backends = await allBackends()
print('  connections, for each', backends.length / SANDBOXES, '')
print('  memory of its connections in PostgreSQL', memoryOf(backends) / SANDBOXES, 'MB')
const awake = await cpuShare()
print('  CPU time of its process', (awake.stacks - asleep.stacks) / SANDBOXES, '% of a processor')
print('  CPU time in PostgreSQL, for each', (awake.PostgreSQL - asleep.PostgreSQL) / SANDBOXES, '% of a processor')

const { record, connection, base, points } = await newTower(system)
const load = loadOf('json', points)
const target = {
  url: `${base}/telemetry/observations`,
  headers: { authorization: `Bearer ${connection.token}`, 'content-type': 'application/json' },
}
await posted(load, target, 3)
const before = await server.sizeOf(record.sandboxId)
const loaded = processes().find(({ args }) => args === `storey ${record.sandboxId} serve`)!.pid
const [stackBefore, allBefore] = [cpuOf(loaded), cpuSeconds(system.pid)]
let [peakMb, peakConnections, peakBackendsMb] = [0, 0, 0]
const watch = setInterval(async () => {
  const pids = await backendsOf(record.sandboxId)
  peakMb = Math.max(peakMb, memoryOf([loaded]))
  peakConnections = Math.max(peakConnections, pids.length)
  peakBackendsMb = Math.max(peakBackendsMb, memoryOf(pids))
}, 1000)
const rate = await posted(load, target, LOAD_S)
clearInterval(watch)
const [stackAfter, allAfter] = [cpuOf(loaded), cpuSeconds(system.pid)]
process.stdout.write(
  `under load: ${Math.round(rate).toLocaleString('en')} observations a second over ${CONNECTIONS} connections\n`,
)
print('  memory of its process, peak', peakMb, 'MB')
print('  connections, peak', peakConnections, '')
print('  memory of its connections in PostgreSQL, peak', peakBackendsMb, 'MB')
const millions = (rate * LOAD_S) / 1e6
print('  CPU time of its process for a million observations', (stackAfter - stackBefore) / millions, 's')
const spent = (part: 'control plane' | 'PostgreSQL') => (allAfter[part] - allBefore[part]) / millions
print('  CPU time of PostgreSQL for a million', spent('PostgreSQL'), 's')
print('  CPU time of the control plane for a million', spent('control plane'), 's')
while ((await server.waitingObservations(record.sandboxId)) > 0) await sleep(200)
print('  disk for an observation, folded', await server.bytesPerObservation(record.sandboxId), 'bytes')
print('  growth of its database', ((await server.sizeOf(record.sandboxId)) - before) / 2 ** 20, 'MB')
process.stdout.write(`stolen CPU time: ${stolen()?.toFixed(1) ?? 'unknown'} %\n`)
await control.end()
await system.remove()
