import { type Browser, chromium, type Page } from 'playwright-core'

const PASSWORD = 'a password of my own'

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })

/** Signs a new account in to the shell, and waits until the plan is shown. */
export async function openPlan(
  browser: Browser,
  apiUrl: string,
  account: { email: string; oneTimePassword: string },
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
  await page.goto(`${apiUrl}/plan`)
  await page.getByLabel('Email').fill(account.email)
  await page.getByLabel('Password', { exact: true }).fill(account.oneTimePassword)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('New password again').fill(PASSWORD)
  await page.getByRole('button', { name: 'Save and sign in' }).click()
  await page.locator('[data-room]').first().waitFor({ timeout: 60_000 })
  return page
}
