import { actorsOf } from '../acceptance/system/actors.ts'
import { type Answer, type CallOptions, call } from '../acceptance/system/call.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { childrenOf, memoryMb } from './processes.ts'
import { type Figure, median, report, timed } from './report.ts'
import { openTenantServer } from './tenant-server.ts'

/**
 * Data layers of a building with 5,000 rooms, over HTTP as a client uses them, compared with the same rows in bare SQL.
 */

const figures: Figure[] = []
const note = (what: string, measured: number, limit: number, unit: string) =>
  figures.push({ what, measured, limit, unit })

const system = await startSystem({ env: { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' } })
const { operator, newSandbox } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
const tower = { storeys: 50, spacesMin: 100, spacesMax: 100, seed: 'layers' }
const { record, connection } = await newSandbox(key, tower)
const base = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`

async function api(path: string, options: CallOptions = {}): Promise<Answer> {
  const answer = await call(base + path, { token: connection.token, ...options })
  if (answer.status >= 400) throw new Error(`${path}: ${answer.text.slice(0, 500)}`)
  return answer
}

const rooms: { id: string; externalId: string }[] = []
for (let offset = 0; offset % 1000 === 0; offset = rooms.length) {
  rooms.push(...(await api(`/spaces?limit=1000&offset=${offset}`)).json.data)
  if (rooms.length === offset) break
}
// Every room has an id in a second model too, so that 10,000 identifiers mean 5,000 rooms.
for (const [i, { id }] of rooms.entries()) {
  await api(`/spaces/${id}/external-ids`, { body: { sourceSystem: 'mep', externalId: `MEP/${i}/room` } })
}
process.stdout.write(`${rooms.length} rooms, each with two external ids\n`)

const layer = async (valueType: string, more = {}): Promise<string> => {
  const body = { key: `${valueType.toLowerCase()}-${figures.length}`, name: 'Bench', valueType, ...more }
  return (await api('/data-layers', { body })).json.id
}
const upload = (id: string, body: string) => api(`/data-layers/${id}/values`, { method: 'PUT', body })

const identifiers = [...rooms.map(({ externalId }) => externalId), ...rooms.map((_, i) => `MEP/${i}/room`)]
const bodies = Array.from({ length: 4 }, (_, n) => {
  const values = Object.fromEntries(identifiers.map((identifier, i) => [identifier, (i * 7 + n) / 10]))
  return JSON.stringify({ values })
})

const database = await openTenantServer(system.dataDir).open(record.sandboxId)
await database.query('create table bench_values (like layer_values including all) with (fillfactor = 45)')
await database.query(`alter table bench_values
  add foreign key (layer_id) references data_layers on delete cascade,
  add foreign key (space_id) references spaces on delete cascade`)
const numbers = await layer('NUMBER')
const spaceIds = rooms.map(({ id }) => id)

/** Writes the same rows without HTTP, validation or lookup of identifiers. */
async function bareUpsert(n: number): Promise<void> {
  await database.query('begin')
  await database.query({
    name: 'bare upsert',
    text: `insert into bench_values (layer_id, space_id, number, updated_at)
      select $1, space_id, number, $4 from unnest($2::uuid[], $3::float8[]) as given (space_id, number)
      on conflict (layer_id, space_id) do update set number = excluded.number, updated_at = excluded.updated_at`,
    values: [numbers, spaceIds, spaceIds.map((_, i) => (i * 7 + n) / 10), new Date()],
  })
  await database.query('commit')
}

const first = { upload: await timed(() => upload(numbers, bodies[0]!)), bare: await timed(() => bareUpsert(0)) }
const { written, matched } = first.upload.value.json
process.stdout.write(`${matched} identifiers matched, ${written} rooms written\n`)
const seconds = { upload: [] as number[], bare: [] as number[] }
for (let i = 0; i < 40; i++) {
  const uploaded = await timed(() => upload(numbers, bodies[i % 4]!))
  const bare = await timed(() => bareUpsert(i))
  if (i < 10) continue
  seconds.upload.push(uploaded.seconds)
  seconds.bare.push(bare.seconds)
}
note('10,000 values in one upload, p50', median(seconds.upload) * 1000, median(seconds.bare) * 1500, 'ms')
note('  as a multiple of the bare upsert', median(seconds.upload) / median(seconds.bare), 1.5, '×')
note('  the first upload of a layer', first.upload.seconds * 1000, first.bare.seconds * 1500, 'ms')

const [stack] = childrenOf(system.pid, 'serve')
for (let i = 0; i < 100; i++) await upload(numbers, bodies[i % 4]!)
const before = memoryMb(stack!)
for (let i = 0; i < 1000; i++) await upload(numbers, bodies[i % 4]!)
note('memory of the stack after 1,000 more uploads', memoryMb(stack!), before * 1.2, 'MB')

async function p50Ms(times: number, work: (i: number) => Promise<unknown>): Promise<number> {
  const all: number[] = []
  for (let i = 0; i < times; i++) all.push((await timed(() => work(i))).seconds)
  return median(all) * 1000
}
const page = (i: number) => api(`/data-layers/${numbers}/values?gte=${4000 + i}&lt=${5000 + i}&offset=${i % 300}`)
await p50Ms(50, page)
const through = await p50Ms(300, page)
const floor = await p50Ms(300, () => call(`${connection.apiUrl}/healthz`))
note('a page of 100 filtered values, p50, in the stack', through - floor, 5, 'ms')
note('  through the gateway', through, 5 + floor, 'ms')
note('  of which GET /healthz through the gateway', floor, 5, 'ms')
note('a legend of ranges, p50', await p50Ms(50, () => api(`/data-layers/${numbers}/legend`)), 20, 'ms')

const patterned = await layer('STRING', { valueSchema: { pattern: '^(a+)+$' } })
const evil = { method: 'PUT', body: { values: { [identifiers[0]!]: `${'a'.repeat(40)}!` } } }
const refused = await timed(() => call(`${base}/data-layers/${patterned}/values`, { token: connection.token, ...evil }))
process.stdout.write(`^(a+)+$ on forty a and an exclamation mark: ${refused.value.json.code}\n`)
note('refusing a pattern that would never finish', refused.seconds * 1000, 50, 'ms')

report('layers', figures)
await database.end()
await system.remove()
