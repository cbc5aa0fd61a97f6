import type { Browser } from 'playwright-core'
import { call } from '../../acceptance/system/call.ts'
import type { Suite } from '../suite.ts'
import { signInAtKeycloak, visit } from './browser.ts'
import { equal } from './equal.ts'
import type { Installation } from './installation.ts'

const MANAGER = { email: 'mona@corp.example', password: 'a password of mona' }
const STRANGER = { email: 'stan@corp.example', password: 'a password of stan' }

/** People in the console of a sandbox, in a real browser. */
export async function checkConsole(suite: Suite, installation: Installation, browser: Browser): Promise<void> {
  const { keycloak, operator, sandbox } = installation
  const { consoleUrl, organizationId, buildingId } = sandbox.record
  const toSignIn = (page: { waitForURL(test: (url: URL) => boolean): Promise<void> }) =>
    page.waitForURL((url) => url.href.startsWith(keycloak.issuers.sandboxes))

  await suite.check('the operator adds the addresses of a sandbox to svc-shell', async () => {
    const { id, redirectUris } = await operator.client('sandboxes', 'svc-shell')
    const added = [...redirectUris, `${consoleUrl}/callback`, `${consoleUrl}/`]
    await operator.call('PUT', `sandboxes/clients/${id}`, { clientId: 'svc-shell', redirectUris: added })
  })

  const manager = await visit(browser)
  let managerId = ''
  await suite.check('the console signs in, shows the building, and receives live values', async () => {
    const attributes = { tenant_id: [organizationId] }
    managerId = await operator.createUser('sandboxes', { ...MANAGER, attributes, roles: ['manager'] })
    const { page } = manager
    await page.goto(`${consoleUrl}/plan`)
    await toSignIn(page)
    await signInAtKeycloak(page, MANAGER)
    await page.getByRole('navigation').first().waitFor()
    equal(new URL(page.url()).pathname, '/plan', 'page')
    await page.getByText(/live/i).first().waitFor()
  })

  await suite.check('the console keeps its session over a reload', async () => {
    const { page } = manager
    await page.reload()
    await page.getByRole('navigation').first().waitFor()
    equal(new URL(page.url()).origin, consoleUrl, 'address')
  })

  await suite.check('a user of another tenant signs in and sees nothing', async () => {
    await operator.createUser('sandboxes', { ...STRANGER, attributes: { tenant_id: ['org_other'] }, roles: ['admin'] })
    const { page, context } = await visit(browser)
    const refused = page.waitForResponse((answer) => answer.status() === 403 && answer.url().includes('/api/v1/'))
    await page.goto(consoleUrl)
    await toSignIn(page)
    await signInAtKeycloak(page, STRANGER)
    equal((await (await refused).json()).code, 'PERMISSION_DENIED', 'code')
    await context.close()
  })

  await suite.check('a user whom Keycloak disables is signed out at the next renewal', async () => {
    const user = await operator.call('GET', `sandboxes/users/${managerId}`)
    await operator.call('PUT', `sandboxes/users/${managerId}`, { ...user, enabled: false })
    await operator.call('POST', `sandboxes/users/${managerId}/logout`)
    const { page } = manager
    await page.reload()
    await toSignIn(page)
    await signInAtKeycloak(page, MANAGER)
    await page
      .getByText(/disabled|invalid/i)
      .first()
      .waitFor()
    await operator.call('PUT', `sandboxes/users/${managerId}`, { ...user, enabled: true })
  })

  await suite.check('the console signs out at Keycloak and returns to the sandbox', async () => {
    const { page, context } = manager
    await page.goto(consoleUrl)
    await toSignIn(page)
    await signInAtKeycloak(page, MANAGER)
    await page.getByRole('navigation').first().waitFor()
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { level: 1, name: 'You are signed out' }).waitFor()
    equal(new URL(page.url()).origin, consoleUrl, 'address')
    await context.close()
  })

  await suite.check('the sandbox token works beside the provider', async () => {
    const { token, apiUrl } = sandbox.connection
    equal((await call(`${apiUrl}/api/v1/buildings/${buildingId}`, { token })).status, 200, 'status')
  })
}
