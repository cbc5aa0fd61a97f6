import type { Browser, BrowserContext, Page } from 'playwright-core'

const STEP_LIMIT_MS = 60_000

export interface KeycloakVisit {
  context: BrowserContext
  page: Page
  /** Errors on the console and violations of the content security policy. */
  errors: string[]
}

export async function visit(browser: Browser, ignore: readonly RegExp[] = []): Promise<KeycloakVisit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
  context.setDefaultTimeout(STEP_LIMIT_MS)
  const errors: string[] = []
  const complain = (text: string) => {
    if (!ignore.some((pattern) => pattern.test(text))) errors.push(text)
  }
  context.on('console', (message) => {
    if (message.type() === 'error') complain(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (thrown) => complain(String(thrown.error())))
  return { context, page: await context.newPage(), errors }
}

/** Signs in on the page of Keycloak. With `newPassword` it replaces a temporary one. */
export async function signInAtKeycloak(
  page: Page,
  { email, password, newPassword }: { email: string; password: string; newPassword?: string },
): Promise<void> {
  await page.locator('#username').fill(email)
  await page.locator('#password').fill(password)
  await page.locator('#kc-login').click()
  if (newPassword === undefined) return
  await page.locator('#password-new').fill(newPassword)
  await page.locator('#password-confirm').fill(newPassword)
  await page.locator('#kc-form-buttons [type=submit], input[type=submit], button[type=submit]').first().click()
}
