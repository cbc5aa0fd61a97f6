import { Agent, request } from 'node:http'
import { actorsOf } from '../acceptance/system/actors.ts'
import { type Answer, type CallOptions, call } from '../acceptance/system/call.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { type Figure, median, report, timed } from './report.ts'

/** A building of more than 100,000 nodes, read and changed over HTTP through the gateway, as a client does. */

const figures: Figure[] = []
const note = (what: string, measured: number, limit: number, unit = 's') =>
  figures.push({ what, measured, limit, unit })

const system = await startSystem({ env: { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' } })
const { operator, newSandbox } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
const tower = { storeys: 50, spacesMin: 150, spacesMax: 150, equipmentDensity: 'dense', seed: 'l' }
const { connection } = await newSandbox(key, tower)
const base = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`

async function api(path: string, options: CallOptions = {}): Promise<Answer> {
  const answer = await call(base + path, { token: connection.token, ...options })
  if (answer.status >= 400) throw new Error(`${path}: ${answer.text.slice(0, 500)}`)
  return answer
}

const agent = new Agent({ keepAlive: true })
const { hostname, port, host } = new URL(base)

/**
 * Sends a request on an open connection and returns the size of the response. The body is not parsed, because only the
 * time of the server is measured.
 */
function fetched(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${connection.token}` }
    const { pathname, search } = new URL(base + path)
    const address = hostname.endsWith('localhost') ? '127.0.0.1' : hostname
    const asked = request({ host: address, port, path: pathname + search, headers, agent }, (answer) => {
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      answer.on('error', reject)
      answer.on('end', () => (answer.statusCode === 200 ? resolve(bytes) : reject(new Error(`${answer.statusCode}`))))
    })
    asked.on('error', reject)
    asked.end()
  })
}

async function many(times: number, work: () => Promise<unknown>): Promise<number[]> {
  const seconds: number[] = []
  for (let i = 0; i < times; i++) seconds.push((await timed(work)).seconds)
  return seconds
}

const graph = (await api('/graph')).json
const nodes = graph.storeys.length + graph.spaces.length + graph.elements.length + graph.points.length
const megabytes = ((await fetched('/graph')) / 2 ** 20).toFixed(0)
process.stdout.write(`${nodes} nodes, ${graph.spaces.length} spaces; the graph takes ${megabytes} MB\n`)

await many(30, () => fetched('/spaces?limit=1000'))
const pages = await many(200, () => fetched(`/spaces?limit=1000&offset=${Math.floor(Math.random() * 6) * 1000}`))
note('a page of 1,000 spaces, p50', median(pages) * 1000, 15, 'ms')
const small = await many(200, () => fetched('/spaces?limit=1'))
note('  for comparison, a page of one space', median(small) * 1000, 15, 'ms')

const rooms: { id: string; externalId: string }[] = graph.spaces
const types = ['vav', 'fan-coil-unit', 'occupancy-sensor', 'lighting']
const elements = Array.from({ length: 10_000 }, (_, i) => ({
  externalId: `asset ${i}`,
  spaceExternalId: rooms[i % rooms.length]!.externalId,
  elementType: types[i % types.length],
  name: `Asset ${i}`,
}))
const first = (await api('')).json.revision
const imported = await timed(() => api('/import/elements', { body: { sourceSystem: 'bench', elements } }))
note('import of 10,000 elements', imported.seconds, 3)
const again = await timed(() => api('/import/elements', { body: { sourceSystem: 'bench', elements } }))
note('  the same import again, nothing to write', again.seconds, 3)

const operations = rooms
  .slice(0, 1000)
  .map(({ id }, i) =>
    i % 2 === 0
      ? { op: 'update', kind: 'space', id, data: { name: `Room ${i}`, capacity: i } }
      : { op: 'create', kind: 'element', data: { spaceId: id, name: `New ${i}`, elementTypeSlug: 'fan' } },
  )
const draft = (await api('/changesets', { body: { title: 'Bench', operations } })).json
await api(`/changesets/${draft.id}/submit`, { method: 'POST' })
await api(`/changesets/${draft.id}/review`, { body: { decision: 'approve' } })
const applied = await timed(() => api(`/changesets/${draft.id}/apply`, { method: 'POST' }))
note('applying a changeset of 1,000 operations', applied.seconds, 2)

note('the whole graph, now', median(await many(5, () => fetched('/graph'))), 1)
note('the whole graph, at an old revision', median(await many(5, () => fetched(`/graph?at=${first}`))), 1)
note('the diff between these revisions', median(await many(5, () => fetched(`/diff?from=${first}`))), 1)
const reverted = await timed(() => api(`/changesets/${draft.id}/revert`, { method: 'POST' }))
note('reverting the changeset', reverted.seconds, 2)
note('the graph as Turtle', (await timed(() => fetched('/graph?format=turtle'))).seconds, 3)

report('graph', figures)
agent.destroy()
await system.remove()
