import type { Browser } from 'playwright-core'
import { call } from '../../acceptance/system/call.ts'
import { equal } from '../equal.ts'
import type { Suite } from '../suite.ts'
import type { Installation } from './installation.ts'
import { visit } from './visit.ts'

const MANAGER = { email: 'mona@corp.example', password: 'a password of mona' }
const STRANGER = { email: 'stan@corp.example', password: 'a password of stan' }

/** Checks what people can do in the console of a sandbox, in a real browser. */
export async function checkConsole(suite: Suite, installation: Installation, browser: Browser): Promise<void> {
  const { provider, sandbox } = installation
  const { consoleUrl, organizationId, buildingId } = sandbox.record

  await suite.check('the operator registers the console of a sandbox', () => provider.addConsole(consoleUrl))

  const manager = await visit(browser)
  let managerId = ''
  await suite.check('the console signs in, shows the building, and receives live values', async () => {
    managerId = await provider.createUser(MANAGER, { tenantId: organizationId, roles: ['manager'] })
    const { page } = manager
    await page.goto(`${consoleUrl}/plan`)
    await page.waitForURL(provider.isSignInPage)
    await provider.signIn(page, MANAGER)
    await page.getByRole('navigation').first().waitFor()
    equal(new URL(page.url()).pathname, '/plan', 'page')
    await page.getByText(/live/i).first().waitFor()
  })

  await suite.check('the console knows the roles of its user', async () => {
    const { page } = manager
    await page.goto(`${consoleUrl}/layers`)
    await page.getByRole('link', { name: 'New layer' }).first().waitFor()
  })

  await suite.check('the console keeps its session over a reload', async () => {
    const { page } = manager
    await page.reload()
    await page.getByRole('navigation').first().waitFor()
    equal(new URL(page.url()).origin, consoleUrl, 'address')
  })

  await suite.check('a user of another tenant signs in and sees nothing', async () => {
    await provider.createUser(STRANGER, { tenantId: 'org_other', roles: ['admin'] })
    const { page, context } = await visit(browser)
    const refused = page.waitForResponse((answer) => answer.status() === 403 && answer.url().includes('/api/v1/'))
    await page.goto(consoleUrl)
    await page.waitForURL(provider.isSignInPage)
    await provider.signIn(page, STRANGER)
    equal((await (await refused).json()).code, 'PERMISSION_DENIED', 'code')
    await context.close()
  })

  await suite.check(`a user whom ${provider.name} disables is signed out at the next renewal`, async () => {
    await provider.setUserDisabled(managerId, true)
    const { page } = manager
    await page.reload()
    await page.waitForURL(provider.isSignInPage)
    await provider.signIn(page, MANAGER)
    await page
      .getByText(/disabled|invalid/i)
      .first()
      .waitFor()
    await provider.setUserDisabled(managerId, false)
  })

  await suite.check(`the console signs out at ${provider.name} and returns to the sandbox`, async () => {
    const { page, context } = manager
    await page.goto(consoleUrl)
    await page.waitForURL(provider.isSignInPage)
    await provider.signIn(page, MANAGER)
    await page.getByRole('navigation').first().waitFor()
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { level: 1, name: 'You are signed out' }).waitFor()
    equal(new URL(page.url()).origin, consoleUrl, 'address')
    await context.close()
  })

  await suite.check('the token of the sandbox is accepted too', async () => {
    const { token, apiUrl } = sandbox.connection
    equal((await call(`${apiUrl}/api/v1/buildings/${buildingId}`, { token })).status, 200, 'status')
  })
}
