import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { startSystem } from '../acceptance/system/system.ts'
import { launchBrowser, openPlan } from './open-plan.ts'
import { median, report } from './report.ts'

/**
 * How soon the shell shows a plan: compared with the first byte of the plan's data for a building of usual size, and
 * for ten thousand rooms compared with that building.
 */

const ROUNDS = 9
/** From the first room in the page until the frame that shows it has surely been painted. */
const SETTLE_MS = 500
const USUAL = { storeys: 4, spacesMin: 45, spacesMax: 46 }
const LARGE = { storeys: 50, spacesMin: 200, spacesMax: 200 }

const system = await startSystem({ env: { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' } })
const { operator, newSandbox, api } = actorsOf(system)
const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
const browser = await launchBrowser()

interface Load {
  firstByteMs: number
  planMs: number
}

/** Runs in the page: when the first byte of the plan's data arrived, and when the rooms were painted. */
function timesOf(): Load {
  const { performance } = globalThis as unknown as { performance: Performance }
  const entries = performance.getEntriesByType('resource') as unknown as { name: string; responseStart: number }[]
  const graph = entries.filter(({ name }) => /\/(spaces|graph)$/.test(new URL(name).pathname))
  return {
    firstByteMs: Math.min(...graph.map(({ responseStart }) => responseStart)),
    planMs: (globalThis as unknown as { planMs: number }).planMs,
  }
}

/** Runs in the page before its own scripts: notes when the frame that shows the first room has been painted. */
function watchForPlan(): void {
  const page = globalThis as unknown as {
    document: { querySelector(selector: string): unknown }
    requestAnimationFrame(callback: () => void): void
    planMs?: number
  }
  const check = () => {
    if (!page.document.querySelector('[data-room]')) return page.requestAnimationFrame(check)
    // A timeout runs after the frame has been painted.
    setTimeout(() => {
      page.planMs = performance.now()
    })
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
    await page.locator('[data-room]').first().waitFor({ timeout: 60_000 })
    await sleep(SETTLE_MS)
    loads.push(await page.evaluate(timesOf))
  }
  const { json } = await call(`${connection.apiUrl}/api/v1/buildings/${connection.buildingId}/spaces?limit=1`, {
    token: connection.token,
  })
  await page.close()
  return {
    rooms: json.total,
    firstByteMs: median(loads.map(({ firstByteMs }) => firstByteMs)),
    planMs: median(loads.map(({ planMs }) => planMs)),
  }
}

const usual = await measure(browser, USUAL)
const large = await measure(browser, LARGE)
for (const { rooms, firstByteMs, planMs } of [usual, large]) {
  process.stdout.write(
    `${rooms} rooms: first byte after ${firstByteMs.toFixed(0)} ms, plan after ${planMs.toFixed(0)} ms\n`,
  )
}
report('How soon the plan is shown', [
  { what: `${usual.rooms} rooms, plan`, measured: usual.planMs, limit: 1.5 * usual.firstByteMs, unit: 'ms' },
  { what: `${large.rooms} rooms, plan`, measured: large.planMs, limit: 2 * usual.planMs, unit: 'ms' },
])
await browser.close()
await system.remove()
