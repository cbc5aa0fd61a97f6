import type { Browser } from 'playwright-core'
import { equal } from '../equal.ts'
import type { Suite } from '../suite.ts'
import { DEVELOPER, type Installation } from './installation.ts'
import { visit } from './visit.ts'

/** Uses the portal as a developer does, in a real browser. */
export async function checkPortal(suite: Suite, { provider, system }: Installation, browser: Browser): Promise<void> {
  const { context, page, errors } = await visit(browser)
  const heading = (name: string) => page.getByRole('heading', { level: 1, name })
  const button = (name: string | RegExp) => page.getByRole('button', { name })

  await suite.check('the portal signs in and returns to the page that was asked for', async () => {
    await page.goto(`${system.url}/keys?from=a-link`)
    await page.waitForURL(provider.isSignInPage)
    await provider.signIn(page, DEVELOPER)
    await heading('API keys').waitFor()
    equal(page.url(), `${system.url}/keys?from=a-link`, 'address')
  })

  await suite.check('a portal session creates a key and reads the audit log', async () => {
    await button('Create key').click()
    await page.getByLabel('Label').fill('from the portal')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await page.locator('.st-secret code').waitFor()
    await button('I have copied it').click()
    await page.goto(`${system.url}/audit`)
    await page.getByRole('row').filter({ hasText: 'Key created with scope sandbox' }).first().waitFor()
  })

  await suite.check(`the portal keeps its session over a reload, and signs out at ${provider.name}`, async () => {
    await page.reload()
    await heading('Audit log').waitFor()
    await button(/^Account/).click()
    await button('Sign out').click()
    await heading('You are signed out').waitFor()
    equal(page.url(), `${system.url}/`, 'address after the sign-out')
    await button('Sign in').click()
    await page.waitForURL(provider.isSignInPage)
    await page.locator('#password').waitFor()
  })

  await suite.check('the pages log no error in the browser', async () => equal(errors, []))
  await context.close()
}
