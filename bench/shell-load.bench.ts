import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { launchBrowser, openPlan } from './open-plan.ts'
import { median, report } from './report.ts'

/**
 * How soon the shell shows a plan. For a building of usual size, the time is compared with that of the first byte of
 * the plan's data. For a building of ten thousand rooms, it is compared with the time for the usual building. All times
 * are medians of several loads, and begin with the navigation of the browser:
 *
 * - first byte: the browser has received the first byte of the first response with storeys or rooms of the building,
 *   whichever request that is (`responseStart`).
 * - plan: the frame with the rooms of the storey, fitted into the page, has been painted.
 * - colours: the frame in which the first room has the colour of a value has been painted. This time has no limit.
 */

const ROUNDS = 9
/** The pause between two loads. In it the rest of the page is loaded, which would otherwise delay the next load. */
const PAUSE_MS = 1000
const USUAL = { storeys: 4, spacesMin: 45, spacesMax: 46 }
const LARGE = { storeys: 50, spacesMin: 200, spacesMax: 200 }

const system = await startSystem({ env: { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' } })
const { operator, newSandbox, api } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
const browser = await launchBrowser()

interface Load {
  firstByteMs: number
  planMs: number
  coloursMs: number
}

/** What a page notes while it is loaded. */
interface Notes {
  planMs?: number
  coloursMs?: number
}

/** Runs in the page. */
function timesOf(): Load {
  const { performance, planMs, coloursMs } = globalThis as unknown as { performance: Performance } & Required<Notes>
  const entries = performance.getEntriesByType('resource') as unknown as { name: string; responseStart: number }[]
  const data = entries.filter(({ name }) => /\/(storeys|spaces|graph)$/.test(new URL(name).pathname))
  return { firstByteMs: Math.min(...data.map(({ responseStart }) => responseStart)), planMs, coloursMs }
}

/** Runs in the page before its own scripts, and notes when the plan and its colours have been painted. */
function watchForPlan(): void {
  const page = globalThis as unknown as Notes & {
    document: { querySelector(selector: string): unknown }
    requestAnimationFrame(callback: () => void): void
  }
  const isFound = (selector: string) => page.document.querySelector(selector) !== null
  const check = () => {
    const isColoured = isFound('[data-room] > path[style]')
    // A timeout runs after the frame has been painted. The plan gets its viewBox just before it is painted.
    setTimeout(() => {
      if (isFound('svg[viewBox] [data-room]')) page.planMs ??= performance.now()
      if (isColoured) page.coloursMs = performance.now()
    })
    if (!isColoured) page.requestAnimationFrame(check)
  }
  page.requestAnimationFrame(check)
}

async function measure(browser: Browser, building: typeof USUAL): Promise<{ rooms: number } & Load> {
  const parameters = { ...building, buildingType: 'mall', seedTelemetryDays: 1, seed: 'load', areaSqm: undefined }
  const { record, connection } = await newSandbox(key, parameters)
  const { json: account } = await api(key, `/api/v1/sandboxes/${record.sandboxId}/accounts`, {
    body: { email: 'bench@example.com', roles: ['manager'] },
  })
  const page = await openPlan(browser, connection.apiUrl, account)
  await page.addInitScript(watchForPlan)
  const loads: Load[] = []
  for (let i = 0; i < ROUNDS; i++) {
    // The files of the shell stay in the cache of the browser; the data does not.
    await page.reload()
    await page.locator('[data-room] > path[style]').first().waitFor({ timeout: 60_000 })
    await page.waitForLoadState('networkidle')
    await sleep(PAUSE_MS)
    loads.push(await page.evaluate(timesOf))
  }
  const { json } = await call(`${connection.apiUrl}/api/v1/buildings/${connection.buildingId}/spaces?limit=1`, {
    token: connection.token,
  })
  await page.close()
  const medianOf = (key: keyof Load) => median(loads.map((load) => load[key]))
  const [firstByteMs, planMs, coloursMs] = [medianOf('firstByteMs'), medianOf('planMs'), medianOf('coloursMs')]
  const all = loads.map((load) => `${load.firstByteMs.toFixed(0)}/${load.planMs.toFixed(0)}`).join(' ')
  process.stdout.write(
    `${json.total} rooms: first byte after ${firstByteMs.toFixed(0)} ms, plan after ${planMs.toFixed(0)} ms, ` +
      `colours after ${coloursMs.toFixed(0)} ms\n  first byte/plan of each load: ${all}\n`,
  )
  return { rooms: json.total, firstByteMs, planMs, coloursMs }
}

const usual = await measure(browser, USUAL)
const large = await measure(browser, LARGE)
report('How soon the plan is shown', [
  { what: `${usual.rooms} rooms, plan`, measured: usual.planMs, limit: 1.5 * usual.firstByteMs, unit: 'ms' },
  { what: `${large.rooms} rooms, plan`, measured: large.planMs, limit: 2 * usual.planMs, unit: 'ms' },
])
await browser.close()
await system.remove()
