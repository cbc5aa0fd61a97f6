import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import type { RequestState } from '@storey/contract'
import { copyRows, type Tx } from '@storey/kit/database'
import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { wordsOfRequest } from '../packages/platform/src/features/service-desk/search-words.ts'
import { childrenOf, memoryMb } from './processes.ts'
import { type Figure, median, report, timed } from './report.ts'
import { openTenantServer } from './tenant-server.ts'

/**
 * Measures lists of 100,000 service requests, with totals: by filters, by search words, and deep pages. Also measures
 * how long it takes to create, change and read one request.
 */

const REQUESTS = 100_000
const LIMIT_MS = 20
const PATH = '/api/service-desk/requests'
const figures: Figure[] = []
const note = (what: string, measured: number, limit: number, unit: string) =>
  figures.push({ what, measured, limit, unit })

const system = await startSystem({ env: { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' } })
const { operator, newSandbox } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
const { record, connection } = await newSandbox(key, { storeys: 10, spacesMin: 100, spacesMax: 100, seed: 'desk' })
const { apiUrl, buildingId, token } = connection
const nodes = async (kind: string): Promise<string[]> => {
  const { json } = await call(
    `${apiUrl}/api/v1/buildings/${buildingId}/${kind}?limit=${kind === 'storeys' ? 200 : 1000}`,
    { token },
  )
  return json.data.map(({ id }: { id: string }) => id)
}
const [storeys, spaces, elements] = await Promise.all([nodes('storeys'), nodes('spaces'), nodes('elements')])

let seed = 1
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}
const any = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!
/** Picks the first items often and the last ones rarely (Zipf's law), as in real data. */
const often = <T>(of: readonly T[]): T => of[Math.floor(of.length ** random()) - 1]!

const SYLLABLES = [
  'ka lo mi ter un gen ra sto ver lek an pi dro wa ser hei zung au fug lam pe tur kli ma ent ion al is or be con'.split(
    ' ',
  ),
  'ра бо та ет лиф не во да ка ло тем пе ру сло ма но при вод ит ся за мок ди ци о нер'.split(' '),
]
const vocabulary = Array.from({ length: 60_000 }, (_, i) => {
  const syllables = SYLLABLES[i % 3 === 0 ? 1 : 0]!
  return Array.from({ length: 2 + Math.floor(random() * 4) }, () => any(syllables)).join('')
})
const HAN = [...'电梯故障空调温度漏水灯坏请修楼层办公室噪音门锁网络断会议室卫生间太热冷三号一二四五六七八九十维护人员']
const word = () => (random() < 0.05 ? Array.from({ length: 8 }, () => any(HAN)).join('') : often(vocabulary))
const text = (words: number) => Array.from({ length: words }, word).join(' ')

const STATES: readonly (readonly [RequestState, number])[] = [
  ['closed', 0.6],
  ['resolved', 0.7],
  ['in_progress', 0.8],
  ['assigned', 0.88],
  ['new', 0.93],
  ['on_hold', 0.96],
  ['cancelled', 1],
]
const PRIORITIES = [
  ...Array(60).fill('normal'),
  ...Array(20).fill('low'),
  ...Array(17).fill('high'),
  ...Array(3).fill('critical'),
]
const CATEGORIES = ['hvac', 'hvac', 'hvac', 'hvac', 'electrical', 'electrical', 'plumbing', 'cleaning', 'other', 'it']
const users = Array.from({ length: 200 }, () => randomUUID())
const teams = Array.from({ length: 5 }, () => randomUUID())
const from = Date.now() - REQUESTS * 60_000
const time = (ms: number) => new Date(ms).toISOString()

type RequestRow = Record<string, string | boolean | null>
function requestRow(i: number): RequestRow {
  const share = random()
  const [state] = STATES.find(([, upTo]) => share < upTo)!
  const at = from + i * 60_000
  const title = `${text(5)}${i % 2 === 0 ? ' leaking' : ''}${i === 777 ? ' zanzibar' : ''}`
  const description = text(40)
  const updatedAt = time(at + Math.floor(random() * 60_000))
  return {
    id: randomUUID(),
    building_id: buildingId,
    title,
    description,
    category: i % 50 === 0 ? 'lifts' : any(CATEGORIES),
    priority: any(PRIORITIES),
    state,
    space_id: random() < 0.8 ? often(spaces) : null,
    storey_id: any(storeys),
    element_id: random() < 0.5 ? often(elements) : null,
    assigned_user_id: state === 'new' ? null : often(users),
    assigned_team_id: any(teams),
    reporter: 'user@example.com',
    created_at: time(at),
    updated_at: updatedAt,
    due_at: time(at + 72 * 3_600_000),
    paused_at: ['in_progress', 'assigned', 'new'].includes(state) ? null : updatedAt,
    warned_for: time(at + 72 * 3_600_000),
    breached_for: time(at + 72 * 3_600_000),
    words: wordsOfRequest(title, description),
    words_at: updatedAt,
  }
}

const database = await openTenantServer(system.dataDir).open(record.sandboxId)
async function fill(): Promise<void> {
  for (let done = 0; done < REQUESTS; done += 10_000) {
    const rows = Array.from({ length: 10_000 }, (_, i) => requestRow(done + i))
    const tx = { client: database } as unknown as Tx
    await database.query('begin')
    await copyRows(tx, 'service_requests', Object.keys(rows[0]!), rows.map(Object.values))
    await database.query('commit')
  }
  await database.query('vacuum analyze service_requests')
}
const filled = await timed(fill)
const { rows: sizes } = await database.query(
  "select pg_size_pretty(pg_total_relation_size('service_requests')) as size",
)
process.stdout.write(`${REQUESTS} requests in ${filled.seconds.toFixed(0)} s, ${sizes[0].size}\n`)

const agent = new Agent({ keepAlive: true })
const { hostname, port, host } = new URL(apiUrl)
const address = hostname.endsWith('localhost') ? '127.0.0.1' : hostname

/** Sends a request on an open connection. */
function ask(path: string, method = 'GET', body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = body && JSON.stringify(body)
    const headers = { host, authorization: `Bearer ${token}`, ...(sent ? { 'content-type': 'application/json' } : {}) }
    const asked = request({ host: address, port, path, method, headers, agent }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const got = Buffer.concat(chunks).toString('utf8')
        if (answer.statusCode! < 300) resolve(got)
        else reject(new Error(`${path}: ${got.slice(0, 500)}`))
      })
    })
    asked.on('error', reject)
    asked.end(sent)
  })
}

async function p50Ms(times: number, work: (i: number) => Promise<unknown>): Promise<number> {
  const seconds: number[] = []
  for (let i = 0; i < times; i++) seconds.push((await timed(() => work(i))).seconds)
  return median(seconds) * 1000
}

const floor = await p50Ms(300, () => ask('/healthz'))
/** Measures a list after a warm-up. The time of a request to /healthz is subtracted, to exclude the gateway. */
async function page(what: string, query: string): Promise<void> {
  const path = `${PATH}?${query}`
  const { total } = JSON.parse(await ask(path))
  await p50Ms(3, () => ask(path))
  note(`${what} (${total})`, (await p50Ms(25, () => ask(path))) - floor, LIMIT_MS, 'ms')
}
const encoded = encodeURIComponent
const [user, team, space, storey, element] = [users[0]!, teams[0]!, spaces[0]!, storeys[0]!, elements[0]!]

const [stack] = childrenOf(system.pid, 'serve')
const memory: number[] = [memoryMb(stack!)]
const firstList = await timed(() => ask(`${PATH}?limit=1`))
memory.push(memoryMb(stack!))
const firstSearch = await timed(() => ask(`${PATH}?search=zanzibar`))
memory.push(memoryMb(stack!))

await page('all', '')
await page('all, 200 a page', 'limit=200')
await page('building', `buildingId=${buildingId}`)
await page('state new', 'state=new')
await page('state closed', 'state=closed')
await page('priority critical', 'priority=critical')
await page('category hvac', 'category=hvac')
await page('user', `assignedUserId=${user}`)
await page('team', `assignedTeamId=${team}`)
await page('space', `spaceId=${space}`)
await page('storey', `storeyId=${storey}`)
await page('element', `elementId=${element}`)
await page('overdue', 'overdue=true')
await page('not overdue', 'overdue=false')
await page('closed, hvac, normal', 'state=closed&category=hvac&priority=normal')
await page('on hold, lifts, critical', 'state=on_hold&category=lifts&priority=critical')
await page('team, storey, closed', `assignedTeamId=${team}&storeyId=${storey}&state=closed`)
await page('user, not overdue, hvac', `assignedUserId=${user}&overdue=false&category=hvac`)
await page('overdue, in progress, storey', `overdue=true&state=in_progress&storeyId=${storey}`)
await page('search, a rare word', 'search=zanzibar')
await page('search, a number', 'search=SR-054321')
await page('search, a common word', 'search=leaking')
await page('search, inside a word', 'search=eaki')
await page('search, a letter', 'search=l')
await page('search, two words', `search=${encoded(`leaking ${vocabulary[3]}`)}`)
await page('search, Russian', `search=${encoded(vocabulary[30]!)}`)
await page('search, Chinese, two characters', `search=${encoded('电梯')}`)
await page('search, Chinese, four characters', `search=${encoded('电梯故障')}`)
await page('search, a common word, closed, hvac', 'search=leaking&state=closed&category=hvac')
await page('search, a common word, a user', `search=leaking&assignedUserId=${user}`)
await page('search, nothing found', 'search=xylophone')
await page('all, the last page', 'page=2000')
await page('closed, deep', 'state=closed&page=1000')
await page('team, deep', `assignedTeamId=${team}&page=300`)
await page('search, a common word, deep', 'search=leaking&page=900')
await page('a page past the end', 'page=1000000')

const createdIds: string[] = []
const body = () => ({ buildingId, title: text(5), description: text(40), storeyId: storey, priority: 'high' })
note(
  'create a request',
  (await p50Ms(60, async () => createdIds.push(JSON.parse(await ask(PATH, 'POST', body())).id))) - floor,
  LIMIT_MS,
  'ms',
)
note(
  'change its state',
  (await p50Ms(60, (i) => ask(`${PATH}/${createdIds[i]}/transition`, 'POST', { state: 'in_progress' }))) - floor,
  LIMIT_MS,
  'ms',
)
note('read it', (await p50Ms(60, (i) => ask(`${PATH}/${createdIds[i]}`))) - floor, LIMIT_MS, 'ms')
note('GET /healthz through the gateway', floor, LIMIT_MS, 'ms')

note('the first list of a process', firstList.seconds * 1000, 1500, 'ms')
note('the first search of a process', firstSearch.seconds * 1000, 5000, 'ms')
note('memory used by lists', memory[1]! - memory[0]!, 64, 'MB')
note('memory used by searches', memory[2]! - memory[1]!, 192, 'MB')

report('service desk, p50 in the stack (number of results)', figures)
agent.destroy()
await database.end()
await system.remove()
