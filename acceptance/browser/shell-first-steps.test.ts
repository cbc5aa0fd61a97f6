import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { api } from '../system/shared.ts'
import { expectAccessible, type Visit } from './browser.ts'
import { onPage, useConsole } from './console.ts'

/** The window of the rate limit, and time to spare. */
const LIMIT_MS = 120_000

const small = { storeys: 2, spacesMin: 8, spacesMax: 10, seedTelemetryDays: 1 }
const { connection, sandbox, visit, send } = useConsole(small)
let owner: Visit
let page: Page
const { heading, button } = onPage(() => page)

beforeAll(async () => {
  owner = await visit({ ignore: [/status of 429/] })
  page = owner.page
})

describe('the console of a new sandbox', () => {
  it('[CON-09] opens by its link without a password, and its building is simulated', async () => {
    expect(await send('/simulation')).toMatchObject({ running: false, automatic: true })
    const link = await api(sandbox.key, `/api/v1/sandboxes/${sandbox.sandboxId}/console-session`, { body: {} })
    await page.goto(link.json.url)
    await page.waitForURL(`${connection.apiUrl}/**`)
    const live = page.getByRole('banner').getByRole('link', { name: /^Live/ })
    await live.filter({ hasText: 'data flowing' }).waitFor()
    expect(await page.getByLabel('Password').count()).toBe(0)
    // The page shows flowing data at once, because the generated history ends at the present. The simulation starts
    // when the page is loaded.
    await expect.poll(() => send('/simulation')).toMatchObject({ running: true, automatic: true, speed: 1 })

    await page.getByRole('navigation').getByRole('link', { name: 'Plan' }).first().click()
    const rooms = page.locator('[data-room]')
    await rooms.first().waitFor()
    // At night the values may stay the same for long, so the test compares the time of the newest one.
    const newestAt = async () => {
      const latest: { timestamp: string }[] = (await send('/telemetry/latest')).data
      return latest
        .map(({ timestamp }) => timestamp)
        .sort()
        .at(-1)!
    }
    const before = await newestAt()
    await expect.poll(newestAt, { timeout: LIMIT_MS, interval: 2_000 }).not.toBe(before)
    owner.expectNoErrors()
  }, 300_000)

  it('[CON-09] shows on the simulation page that it runs while somebody is in the console', async () => {
    await page.goto(`${connection.apiUrl}/simulation`)
    await page.getByText('Runs while somebody is in the console').waitFor()
    await page.getByText('Running', { exact: true }).waitFor()
    await expectAccessible(page)
  })
})

describe('a console that has reached the rate limit', () => {
  /** The token of the console, from one of its requests. */
  async function tokenOf(tab: Page): Promise<string> {
    const isCall = (url: string) => url.startsWith(`${connection.apiUrl}/api/v1/buildings/`)
    const [request] = await Promise.all([tab.waitForRequest((one) => isCall(one.url())), tab.reload()])
    return request.headers().authorization!.replace('Bearer ', '')
  }

  /** Uses up the requests of this minute, as a dozen quick reloads would. */
  async function useUpLimit(token: string): Promise<void> {
    for (let sent = 0; sent < 200; sent += 10) {
      const calls = Array.from({ length: 10 }, () => call(`${connection.apiUrl}/api/v1/buildings`, { token }))
      if ((await Promise.all(calls)).some(({ status }) => status === 429)) return
    }
    throw new Error('the rate limit was not reached')
  }

  it('[CON-10] delays its reads, and shows when a refused write can be sent again', async () => {
    await page.goto(`${connection.apiUrl}/requests`)
    await heading('Requests').waitFor()
    const token = await tokenOf(page)
    await page.getByRole('link', { name: 'New request' }).first().click()
    await page.getByLabel('What is wrong?').fill('A lamp is out')
    let writes = 0
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/service-desk/requests')) writes++
    })
    await useUpLimit(token)
    await button('Create request').click()
    await page.getByText(/You can try again in \d+ s/).waitFor()
    expect(await page.getByLabel('What is wrong?').inputValue()).toBe('A lamp is out')
    await expectAccessible(page)

    const tab = await owner.context.newPage()
    await tab.goto(`${connection.apiUrl}/faults`)
    const notice = tab.getByText(/Too many requests\. Retrying in \d+ s/)
    await notice.waitFor()
    expect([await notice.count(), await tab.getByRole('alert').count()]).toEqual([1, 0])
    await tab.getByRole('heading', { level: 1, name: 'Faults' }).waitFor({ timeout: LIMIT_MS })
    await notice.waitFor({ state: 'detached', timeout: LIMIT_MS })
    expect(await tab.getByRole('alert').count()).toBe(0)

    await page.getByText('You can try again now.').waitFor({ timeout: LIMIT_MS })
    expect(writes).toBe(1)
    expect(await page.getByLabel('What is wrong?').inputValue()).toBe('A lamp is out')
    await button('Create request').click()
    await heading('A lamp is out').waitFor()
    expect(writes).toBe(2)
    owner.expectNoErrors()
  }, 300_000)
})
