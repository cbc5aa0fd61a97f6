import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { launchBrowser } from '../../scripts/browser/launch-browser.ts'
import { seriousFindings } from './axe.ts'

/** Long, because a busy machine is slow. */
const STEP_LIMIT_MS = 45_000
const OWN_PASSWORD = 'a password of my own'

export interface VisitOptions extends BrowserContextOptions {
  /** Errors that the test expects, such as a refusal that the page shows. */
  ignore?: readonly RegExp[]
}

/** A person with their own browser context: cookies, storage and pages. */
export interface Visit {
  context: BrowserContext
  page: Page
  /** Errors in the log of the browser, uncaught exceptions and violations of the content security policy. */
  errors: string[]
  /** Fails if there was any error. */
  expectNoErrors(): void
  close(): Promise<void>
}

/** The browser for all files of a worker. Workers do not share a browser, because it has a single clipboard. */
let shared: Promise<Browser> | undefined

/** Opens visits for a test file. `close` ends all of them. */
export async function openBrowser(): Promise<{
  visit(options?: VisitOptions): Promise<Visit>
  close(): Promise<void>
}> {
  shared ??= launchBrowser()
  const browser = await shared
  const visits: Visit[] = []
  return {
    async visit(options) {
      const visit = await visitWith(browser, options)
      visits.push(visit)
      return visit
    },
    async close() {
      for (const visit of visits) await visit.close()
    },
  }
}

async function visitWith(browser: Browser, { ignore = [], ...options }: VisitOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', ...options })
  context.setDefaultTimeout(STEP_LIMIT_MS)
  const errors: string[] = []
  const complain = (text: string) => {
    if (!ignore.some((pattern) => pattern.test(text))) errors.push(text)
  }
  context.on('console', (message) => {
    if (message.type() === 'error') complain(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (thrown) => complain(String(thrown.error())))
  const page = await context.newPage()
  return {
    context,
    page,
    errors,
    expectNoErrors: () => expect(errors).toEqual([]),
    close: () => context.close(),
  }
}

/**
 * Signs in on the pages of the embedded identity provider, where a one-time password is replaced with a new one.
 * Returns the password that is valid afterwards.
 */
export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<string> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Password', { exact: true }).waitFor({ state: 'detached' })
  await page.waitForLoadState()
  const change = page.getByLabel('New password', { exact: true })
  if (!(await change.isVisible())) return password
  await change.fill(OWN_PASSWORD)
  await page.getByLabel('New password again').fill(OWN_PASSWORD)
  await page.getByRole('button', { name: 'Save and sign in' }).click()
  await change.waitFor({ state: 'detached' })
  return OWN_PASSWORD
}

/** Fails if axe-core finds serious or critical violations on the current page. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await seriousFindings(page), page.url()).toEqual([])
}
