import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { DemoSandbox, Fixture, Person } from './fixture.ts'

const SIZE = { width: 1440, height: 900 }
const RENDER_MS = 600
/**
 * The event `wifi-sensing.occupancy.changed` reports the number of people in a room only when it changes. After this
 * time the module has a number for most rooms.
 */
const COUNT_MS = 25_000
const PROGRAM = '/usr/bin/chromium'

export async function takePictures(fixture: Fixture, folder: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: PROGRAM,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--hide-scrollbars'],
  })
  const save = async (page: Page, name: string) => {
    await page.waitForTimeout(RENDER_MS)
    await page.screenshot({ path: `${folder}/${name}.png` })
  }
  try {
    await portal(browser, fixture, save)
    await mall(browser, fixture.mall, save)
    await office(browser, fixture.office, save)
  } finally {
    await browser.close()
  }
}

type Save = (page: Page, name: string) => Promise<void>

async function portal(browser: Browser, { portalUrl, developer }: Fixture, save: Save): Promise<void> {
  const page = await visit(browser, portalUrl, developer)
  await page.getByRole('row').filter({ hasText: 'Riverside Mall' }).waitFor()
  await save(page, 'portal-sandboxes')
  await page.getByRole('link', { name: 'New sandbox' }).click()
  await page.getByLabel('Name').fill('Station arcade')
  await page.getByText('Mall', { exact: true }).click()
  await page.getByRole('spinbutton', { name: 'Rooms per storey, maximum' }).fill('44')
  await page.getByRole('spinbutton', { name: 'Rooms per storey, minimum' }).fill('30')
  await page.getByRole('img', { name: /^Plan of / }).waitFor()
  await save(page, 'portal-create')
  await page.context().close()
}

async function mall(browser: Browser, sandbox: DemoSandbox, save: Save): Promise<void> {
  const page = await visit(browser, `${sandbox.url}/plan?colour=layer:leases`, sandbox.person)
  await page.getByText('Notice given').first().waitFor()
  await save(page, 'shell-plan')
  await page.context().close()
}

async function office(browser: Browser, sandbox: DemoSandbox, save: Save): Promise<void> {
  const { spaces } = await sandbox.api(`/buildings/${sandbox.buildingId}/graph`)
  const room = spaces.find(({ name }: { name: string }) => name === 'Boardroom')
  const page = await visit(browser, `${sandbox.url}/rooms/${room.id}`, sandbox.person)
  await page.locator('canvas').first().waitFor()
  await save(page, 'shell-room')
  await page.goto(`${sandbox.url}/history?from=1`)
  await page.getByRole('row').nth(3).waitFor()
  await save(page, 'shell-history')

  // The simulation runs at an hour per minute, so that values arrive while the pictures are taken.
  await sandbox.api(`/buildings/${sandbox.buildingId}/simulation`, { body: { running: true, speed: 60 } })
  await page.goto(`${sandbox.url}/sandbox/occupancy-board`)
  await page.getByRole('row').nth(3).waitFor()
  for (let press = 0; press < 2; press++) await page.getByRole('button', { name: 'People', exact: true }).click()
  await page.waitForTimeout(COUNT_MS)
  await save(page, 'module-occupancy')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto(`${sandbox.url}/plan`)
  const signal = page.getByLabel('Colour by').locator('option', { hasText: 'Zone temperature' })
  await page.getByLabel('Colour by').selectOption({ label: (await signal.first().textContent())! })
  await save(page, 'shell-dark')
  await page.context().close()
}

export const OWN_PASSWORD = 'a password of my own'

/** Opens a page and signs in for the first time, which replaces the one-time password. */
export async function visit(browser: Browser, url: string, { email, password }: Person): Promise<Page> {
  const options: BrowserContextOptions = { viewport: SIZE, locale: 'en-GB', colorScheme: 'light' }
  const page = await (await browser.newContext(options)).newPage()
  await page.goto(url)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('New password', { exact: true }).fill(OWN_PASSWORD)
  await page.getByLabel('New password again').fill(OWN_PASSWORD)
  await page.getByRole('button', { name: 'Save and sign in' }).click()
  await page.waitForURL(({ origin, pathname }) => origin === new URL(url).origin && pathname !== '/callback')
  return page
}
