import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { launchBrowser, openPlan } from './open-plan.ts'
import { median, report } from './report.ts'
import { frameGaps, type Recolouring, recolour } from './shell-pages.ts'

/**
 * Measures the shell in a browser: the size of the first load, how long a storey of two hundred rooms takes to change
 * its colours, the frame rate during the replay of a day, how soon a posted observation is shown, and the frame rate
 * under a thousand live updates a second.
 */

const KB = 1024
const UPDATES_A_SECOND = 1_000
const POSTS_A_SECOND = 10
const SECONDS = 8
const REPLAY_SECONDS = 20
/** At 60 frames a second a frame takes 16.7 ms. */
const REPLAY_LIMIT_MS = 25

const system = await startSystem({ env: { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' } })
const { operator, newSandbox, api } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
const building = {
  buildingType: 'mall',
  storeys: 1,
  spacesMin: 200,
  spacesMax: 200,
  seedTelemetryDays: 1,
  seed: 'shell',
}
const { record, connection } = await newSandbox(key, building)
const { apiUrl, token, buildingId } = connection
const base = `${apiUrl}/api/v1/buildings/${buildingId}`
const { json: account } = await api(key, `/api/v1/sandboxes/${record.sandboxId}/accounts`, {
  body: { email: 'bench@example.com', roles: ['manager'] },
})

const browser = await launchBrowser()
const page = await openPlan(browser, apiUrl, account)

/** The bytes of the shell's own files, without API responses, that a browser without a cache loads to show the plan. */
async function firstLoad(): Promise<number> {
  const session = await page.context().newCDPSession(page)
  const own = new Set<string>()
  let bytes = 0
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (request.url.startsWith(`${apiUrl}/`) && !request.url.includes('/api/')) own.add(requestId)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (own.has(requestId)) bytes += encodedDataLength
  })
  await page.reload()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.locator('[data-room]').first().waitFor()
  await sleep(1_000)
  await session.detach()
  return bytes
}

interface Point {
  id: string
  elementId: string
  name: string
}
const { json: graph } = await call(`${base}/graph`, { token })
const spaceOf = new Map<string, string | null>(
  graph.elements.map(({ id, spaceId }: { id: string; spaceId: string | null }) => [id, spaceId]),
)
const measured: Point[] = graph.points.filter(({ name }: Point) => name === 'Zone temperature')
const post = (observations: { pointId: string; value: string }[]) =>
  call(`${base}/telemetry/observations`, { token, body: { observations } })

async function seenAfterMs(value: string): Promise<number> {
  const point = measured.find(({ elementId }) => spaceOf.get(elementId))!
  const room = page.locator(`[data-room="${spaceOf.get(point.elementId)}"]`)
  const from = performance.now()
  const seen = room.and(page.locator(`[aria-label*="${value}"]`)).waitFor()
  await post([{ pointId: point.id, value }])
  await seen
  return performance.now() - from
}

async function flood(): Promise<number> {
  const each = UPDATES_A_SECOND / POSTS_A_SECOND
  const from = performance.now()
  for (let n = 0; n < SECONDS * POSTS_A_SECOND; n++) {
    const points = Array.from({ length: each }, (_, i) => graph.points[(n * each + i) % graph.points.length] as Point)
    await post(points.map(({ id }, i) => ({ pointId: id, value: String(15 + ((n * 7 + i) % 120) / 10) })))
    await sleep(Math.max(0, from + ((n + 1) * 1000) / POSTS_A_SECOND - performance.now()))
  }
  return (SECONDS * POSTS_A_SECOND * each) / ((performance.now() - from) / 1000)
}

/** Changes the colours `rounds` times. Leaves out the first quarter, in which the code is not compiled yet. */
async function recolouring(rounds: number): Promise<Recolouring[]> {
  const times: Recolouring[] = []
  for (let n = 0; n < rounds; n++) {
    await sleep(150)
    times.push(await page.evaluate(recolour, n))
  }
  return times.slice(rounds >> 2)
}

/** Replays a day, which takes 24 seconds, and returns the times from frame to frame of the first 20 seconds. */
async function replayed(): Promise<number[]> {
  await page.getByRole('button', { name: 'Replay' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  const gaps = await page.evaluate(frameGaps, REPLAY_SECONDS * 60)
  await page.getByRole('button', { name: 'Back to live values' }).click()
  return gaps
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!

const bytes = await firstLoad()
await page.getByLabel('Colour by').selectOption({ label: 'Zone temperature, °C' })
const rooms = await page.locator('[data-room]').count()
const idle = await page.evaluate(frameGaps, 120)
const frame = median(idle)
const recoloured = await recolouring(60)
const pictures = recoloured.map(({ picture }) => picture)
const nexts = recoloured.map(({ next }) => next)
await page.getByLabel('Colour by').selectOption({ label: 'Zone temperature, °C' })
const replay = await replayed()
const seen: number[] = []
for (let i = 0; i < 9; i++) seen.push(await seenAfterMs((30.1 + i / 10).toFixed(1)))
const [gaps, rate] = await Promise.all([page.evaluate(frameGaps, Math.round((SECONDS - 1) * 60)), flood()])

process.stdout.write(`\n${rooms} rooms, ${Math.round(rate)} updates a second, a frame of ${frame.toFixed(1)} ms\n`)
process.stdout.write(
  `recolouring: script ${median(recoloured.map(({ script }) => script)).toFixed(1)} ms, ` +
    `frame p90 ${quantile(pictures, 0.9).toFixed(1)} ms\n`,
)
process.stdout.write(
  `replay: p99 ${quantile(replay, 0.99).toFixed(1)} ms, idle page: p95 ${quantile(idle, 0.95).toFixed(1)} ms\n`,
)
report('The shell', [
  { what: 'files of the first load, compressed', measured: bytes / KB, limit: 250, unit: 'KB' },
  {
    what: 'the frame that draws the rooms in new colours, median',
    measured: median(pictures),
    limit: frame,
    unit: 'ms',
  },
  { what: 'the next frame, which draws the labels, median', measured: median(nexts), limit: frame, unit: 'ms' },
  { what: 'from frame to frame in a replay, median', measured: median(replay), limit: frame * 1.1, unit: 'ms' },
  {
    what: 'from frame to frame in a replay, p95',
    measured: quantile(replay, 0.95),
    limit: REPLAY_LIMIT_MS,
    unit: 'ms',
  },
  { what: 'from the POST of a value until it is shown, median', measured: median(seen), limit: 1_000, unit: 'ms' },
  { what: 'from frame to frame under load, median', measured: median(gaps), limit: frame * 1.5, unit: 'ms' },
  {
    what: 'from frame to frame under load, p95',
    measured: quantile(gaps, 0.95),
    limit: Math.max(frame * 3, quantile(idle, 0.95) * 2),
    unit: 'ms',
  },
])
await browser.close()
await system.remove()
