import type { Browser } from 'playwright-core'
import { actorsOf } from '../../acceptance/system/actors.ts'
import { type Answer, call } from '../../acceptance/system/call.ts'
import { equal } from '../equal.ts'
import type { Installation } from '../identity/installation.ts'
import { visit } from '../identity/visit.ts'
import type { Suite } from '../suite.ts'
import type { KeycloakOperator } from './keycloak-operator.ts'
import { signInAtKeycloak } from './sign-in.ts'
import type { Keycloak } from './start-keycloak.ts'

const REALM = 'sandboxes'
const OWN_PASSWORD = 'A password of my own 1'

/** With the client `svc-admin`, Storey manages accounts, service accounts and the redirect URIs of consoles in Keycloak. */
export async function checkMembers(
  suite: Suite,
  installation: Installation,
  { keycloak, operator, browser }: { keycloak: Keycloak; operator: KeycloakOperator; browser: Browser },
): Promise<void> {
  const { key } = installation
  const { machineToken } = keycloak
  const shell = await operator.client(REALM, 'svc-shell')
  await operator.call('PUT', `${REALM}/clients/${shell.id}`, { clientId: shell.clientId, redirectUris: [] })
  const clientSecret = await operator.secretOf(REALM, 'svc-admin')
  const admin = { IDENTITY_ADMIN: 'keycloak', IDENTITY_ADMIN_CLIENT_SECRET: clientSecret }
  const system = await installation.restartWith(admin)
  const actors = actorsOf(system)
  const sandbox = await actors.newSandbox(key, { name: 'Managed' })
  const { sandboxId, apiUrl, consoleUrl, organizationId, buildingId } = sandbox.record
  const { token } = sandbox.connection
  const members = `/api/v1/sandboxes/${sandboxId}`
  const userOf = (id: string) => operator.call('GET', `${REALM}/users/${id}`)
  const redirectUris = async (): Promise<string[]> => (await operator.client(REALM, 'svc-shell')).redirectUris
  let ann: Answer['json']

  await suite.check(
    'the redirect URIs of all consoles are added to svc-shell, also those of older sandboxes',
    async () => {
      const all = await redirectUris()
      for (const origin of [consoleUrl, installation.sandbox.record.consoleUrl])
        for (const path of ['/callback', '/']) equal(all.includes(origin + path), true, origin + path)
    },
  )

  await suite.check('an account created through the API signs in to the console', async () => {
    const body = { email: 'Ann@corp.example', roles: ['admin'] }
    const created = await actors.api(key, `${members}/accounts`, { body })
    equal(created.status, 201, created.text)
    ann = created.json
    equal((await userOf(ann.id)).attributes.tenant_id, [organizationId], 'tenant')
    equal((await actors.api(key, `${members}/accounts`, { body })).status, 409, 'the same address again')
    const { page, context } = await visit(browser)
    await page.goto(consoleUrl)
    await page.waitForURL((url) => url.href.startsWith(keycloak.issuers.sandboxes))
    const person = { email: ann.email, password: ann.oneTimePassword, newPassword: OWN_PASSWORD }
    await signInAtKeycloak(page, person)
    await page.getByRole('navigation').first().waitFor()
    await context.close()
  })

  await suite.check('an administrator of the sandbox creates, changes, resets and removes an account', async () => {
    const at = (path: string, options: object = {}) => call(`${apiUrl}/api/v1/accounts${path}`, { token, ...options })
    const created = await at('', { body: { email: 'bob@corp.example', roles: ['user'] } })
    equal([created.status, created.json.hasOneTimePassword], [201, true], created.text)
    const { id } = created.json
    const changed = await at(`/${id}`, { method: 'PATCH', body: { roles: ['manager', 'accountant'] } })
    equal([changed.status, changed.json.roles.sort()], [200, ['accountant', 'manager']], changed.text)
    const reset = await at(`/${id}/reset-password`, { method: 'POST' })
    equal(reset.status, 200, reset.text)
    equal(reset.json.oneTimePassword === created.json.oneTimePassword, false, 'the same password')
    const list = await at('')
    equal(list.json.total, 2, list.text)
    equal(
      (await at(`/${ann.id}`, { method: 'PATCH', body: { roles: ['user'] } })).status,
      409,
      'the last administrator',
    )
    equal((await at(`/${id}`, { method: 'DELETE' })).status, 204, 'removal')
    equal((await at(`/${id}`)).status, 404, 'after the removal')
    equal(await userOf(id).catch(() => 'gone'), 'gone', 'in Keycloak')
    const audit = (await at('/audit')).json.data.map(({ action }: { action: string }) => action.replace('account.', ''))
    equal(audit.slice(0, 4), ['removed', 'password_reset', 'roles_changed', 'created'], 'audit')
  })

  await suite.check('a user that was created in Keycloak is listed, and not changed by Storey', async () => {
    const attributes = { tenant_id: [organizationId] }
    const person = { email: 'carl@corp.example', password: 'a password of carl', attributes, roles: ['user'] }
    const id = await operator.createUser(REALM, person)
    const at = (path: string, options: object = {}) => call(`${apiUrl}/api/v1/accounts${path}`, { token, ...options })
    equal((await at(`/${id}`)).json.email, person.email, 'email')
    equal((await at(`/${id}`, { method: 'DELETE' })).status, 409, 'removal')
    equal((await at(`/${id}/reset-password`, { method: 'POST' })).status, 409, 'password')
    const [other] = await operator.call('GET', `${REALM}/users?exact=true&username=mona@corp.example`)
    equal((await at(`/${other.id}`, { method: 'DELETE' })).status, 404, 'an account of another sandbox')
  })

  await suite.check('a service account created through the API works until it is removed', async () => {
    const body = { name: 'Gateway', roles: ['manager'] }
    const created = await actors.api(key, `${members}/service-accounts`, { body })
    equal(created.status, 201, created.text)
    const { id, clientId, clientSecret } = created.json
    const access = await machineToken(clientId, clientSecret)
    const building = `${apiUrl}/api/v1/buildings/${buildingId}`
    equal((await call(building, { token: access })).status, 200, 'read')
    equal((await call(`${apiUrl}/api/v1/people`, { token: access })).status, 200, 'people')
    const listed = (await actors.api(key, `${members}/service-accounts`)).json.data
    equal(listed, [{ id, name: 'Gateway', roles: ['manager'], clientId }], 'list')
    equal((await actors.api(key, `${members}/service-accounts/${id}`, { method: 'DELETE' })).status, 204, 'removal')
    equal((await call(building, { token: access })).status, 401, 'its token after the removal')
    equal(await machineToken(clientId, clientSecret).catch(() => 'refused'), 'refused', 'a new token')
  })

  await suite.check('deleting the sandbox removes what Storey created in Keycloak, and nothing else', async () => {
    equal((await actors.api(key, members, { method: 'DELETE' })).status, 204, 'removal')
    for (const deadline = Date.now() + 20_000; (await redirectUris()).includes(`${consoleUrl}/callback`); )
      if (Date.now() > deadline) throw new Error('the address of the sandbox stays in svc-shell')
    equal(await userOf(ann.id).catch(() => 'gone'), 'gone', 'the account')
    const left = await operator.call('GET', `${REALM}/users?exact=true&username=carl@corp.example`)
    equal(left.length, 1, 'a user of Keycloak')
  })

  await suite.check('while Keycloak is down, changes of accounts get 503', async () => {
    await keycloak.kill()
    const path = `/api/v1/sandboxes/${installation.sandbox.record.sandboxId}/accounts`
    const refused = await actors.api(key, path, { body: { email: 'dan@corp.example', roles: ['user'] } })
    equal([refused.status, refused.json.code], [503, 'NOT_READY'], refused.text)
  })
}
