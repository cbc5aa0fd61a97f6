import type { Browser, BrowserContext, Page } from 'playwright-core'
import { seriousFindings } from '../../acceptance/browser/axe.ts'
import { launchBrowser } from '../browser/launch-browser.ts'
import { consoleAddresses, pictureName, portalAddresses } from './addresses.ts'
import type { Fixture, Person } from './fixture.ts'
import { OWN_PASSWORD, visit } from './pictures.ts'

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
]
const LOCALES = { en: 'en-GB', ru: 'ru-RU' } as const
const THEMES = ['light', 'dark'] as const
const ANIMATIONS_MS = 700
const ATTEMPTS = 2
/** The tallest building that a sandbox can have. */
const TOWER = { name: 'Tower', buildingType: 'office', storeys: 50, spacesMin: 8, spacesMax: 16, seedTelemetryDays: 1 }

interface Site {
  name: string
  url: string
  person: Person
  addresses: readonly string[]
}

/** Takes a picture of each page in each size, language and theme. Returns what is wrong with the pages. */
export async function takeAllPictures(fixture: Fixture, folder: string, only: string): Promise<string[]> {
  const browser = await launchBrowser(['--hide-scrollbars'])
  const { office, portalUrl, developer } = fixture
  const sites: Site[] = [
    { name: 'console', url: office.url, person: office.person, addresses: await consoleAddresses(office) },
    { name: 'portal', url: portalUrl, person: developer, addresses: portalAddresses(office) },
  ]
  if (only === '' || only === 'tower') {
    const tower = await fixture.newDemoSandbox(TOWER, 'tower')
    sites.push({ name: 'tower', url: tower.url, person: tower.person, addresses: ['/', '/plan', '/equipment'] })
  }
  const findings: string[] = []
  try {
    for (const site of sites) {
      const isWanted = (address: string) => site.name === only || address.includes(only)
      const wanted = { ...site, addresses: site.addresses.filter(isWanted) }
      if (wanted.addresses.length > 0) findings.push(...(await takeSite(browser, wanted, folder)))
    }
  } finally {
    await browser.close()
  }
  return findings
}

async function takeSite(browser: Browser, site: Site, folder: string): Promise<string[]> {
  const first = await visit(browser, site.url, site.person)
  const storageState = await first.context().storageState()
  await first.context().close()
  const findings: string[] = []
  for (const [language, locale] of Object.entries(LOCALES)) {
    for (const colorScheme of THEMES) {
      const takeSize = async (viewport: (typeof SIZES)[number]) => {
        const context = await browser.newContext({ viewport, locale, colorScheme, storageState })
        const variant = `${site.name}-${viewport.width}-${language}-${colorScheme}`
        for (const address of site.addresses) {
          const problems = await takePage(context, site, address, `${folder}/${variant}${pictureName(address)}.png`)
          findings.push(...problems.map((problem) => `${variant} ${address}: ${problem}`))
        }
        await context.close()
      }
      await Promise.all(SIZES.map(takeSize))
    }
  }
  return findings
}

/** Tries a second time, because a busy machine may be too slow. Only the second failure is a finding. */
async function takePage(context: BrowserContext, site: Site, address: string, file: string): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryPage(context, site, address, file)
    } catch (error) {
      if (attempt === ATTEMPTS) return [`no picture: ${(error as Error).message.split('\n')[0]}`]
    }
  }
}

async function tryPage(
  context: BrowserContext,
  { url, person }: Site,
  address: string,
  file: string,
): Promise<string[]> {
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  try {
    await page.goto(url + address)
    await showPage(page, person)
    await page.screenshot({ path: file })
    if (await page.evaluate(isWiderThanScreen)) problems.push('scrolls sideways')
    problems.push(...(await seriousFindings(page)))
    return problems
  } finally {
    await page.close()
  }
}

/** Signs in again if the session is gone, and waits until nothing is loading. */
async function showPage(page: Page, { email }: Person): Promise<void> {
  const password = page.locator('input[type=password]').first()
  await page.locator('h1').or(password).first().waitFor()
  // The API reference has a password field too, for a token.
  if (new URL(page.url()).pathname.startsWith('/realms/') && (await password.isVisible())) {
    await page.locator('input[type=email]').first().fill(email)
    await password.fill(OWN_PASSWORD)
    await password.press('Enter')
    await page.locator('#main h1').first().waitFor()
  }
  await page.locator('.st-loading').first().waitFor({ state: 'detached' })
  await page.waitForTimeout(ANIMATIONS_MS)
}

interface Screen {
  document: { documentElement: { scrollWidth: number; clientWidth: number } }
}

/** Runs in the page. */
function isWiderThanScreen(): boolean {
  const { scrollWidth, clientWidth } = (globalThis as unknown as Screen).document.documentElement
  return scrollWidth > clientWidth
}
