import { call } from '../../acceptance/system/call.ts'
import { clientCredentials, createPlatformClient } from '../../packages/sdk/src/index.ts'
import type { Suite } from '../suite.ts'
import { equal } from './equal.ts'
import type { Installation } from './installation.ts'
import { BOOTSTRAP } from './start-keycloak.ts'

const REALM = 'sandboxes'
const CLIENT = 'svc-integration'

/** Programs with client credentials, and tokens that must be refused. */
export async function checkMachines(suite: Suite, installation: Installation): Promise<void> {
  const { keycloak, operator, system, sandbox, machineToken } = installation
  const { apiUrl, buildingId, organizationId } = sandbox.record
  const secret = await operator.secretOf(REALM, CLIENT)
  const account = await operator.serviceAccountOf(REALM, CLIENT)
  const building = `${apiUrl}/api/v1/buildings/${buildingId}`
  const setAttributes = (attributes: Record<string, string[]>) =>
    operator.call('PUT', `${REALM}/users/${account.id}`, { ...account, attributes })
  const outcome = async (token: string, path = '', body?: unknown) => {
    const { status, json } = await call(building + path, { token, ...(body === undefined ? {} : { body }) })
    return status < 400 ? status : json.code
  }
  let layers = 0
  const newLayer = () => ({ key: `layer-${++layers}`, name: 'Layer', valueType: 'NUMBER' })

  await suite.check('a program reads and writes with client credentials, by the SDK', async () => {
    await setAttributes({ tenant_id: [organizationId] })
    const credential = clientCredentials({
      issuer: keycloak.issuers.sandboxes,
      clientId: CLIENT,
      clientSecret: secret,
    })
    const { data } = await createPlatformClient({ url: apiUrl, credential }).building(buildingId).spaces.list({})
    equal(data.length > 0, true, 'spaces')
    equal(await outcome(await credential.token(), '/data-layers', newLayer()), 201, 'a new layer')
  })

  await suite.check('the roles and the buildings of a program limit it', async () => {
    await operator.setRoles(REALM, account.id, ['user'])
    const reader = await machineToken(CLIENT, secret)
    equal(await outcome(reader), 200, 'read')
    equal(await outcome(reader, '/data-layers', newLayer()), 'PERMISSION_DENIED', 'write')
    await setAttributes({ tenant_id: [organizationId], building_ids: ['5a5bbd1c-0000-4000-8000-000000000000'] })
    const elsewhere = await outcome(await machineToken(CLIENT, secret))
    equal(['PERMISSION_DENIED', 'NOT_FOUND'].includes(elsewhere), true, `another building (${elsewhere})`)
    await setAttributes({ tenant_id: [organizationId], building_ids: [buildingId] })
    equal(await outcome(await machineToken(CLIENT, secret)), 200, 'its own building')
  })

  await suite.check('tokens of another tenant, issuer, audience or kind are refused', async () => {
    await setAttributes({ tenant_id: ['org_other'] })
    equal(await outcome(await machineToken(CLIENT, secret)), 'PERMISSION_DENIED', 'another tenant')
    await setAttributes({})
    equal(await outcome(await machineToken(CLIENT, secret)), 'PERMISSION_DENIED', 'no tenant')
    await setAttributes({ tenant_id: [organizationId] })
    const good = await machineToken(CLIENT, secret)
    equal((await call(`${system.url}/api/v1/sandboxes`, { token: good })).status, 401, 'at the provisioning service')
    const other = await operator.secretOf(REALM, 'svc-admin')
    equal(await outcome(await machineToken('svc-admin', other)), 'UNAUTHENTICATED', 'another audience')
    const body = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...BOOTSTRAP })
    const answer = await fetch(`${keycloak.url}/realms/master/protocol/openid-connect/token`, { method: 'POST', body })
    const master = (await answer.json()) as { access_token: string; refresh_token: string }
    equal(await outcome(master.access_token), 'UNAUTHENTICATED', 'another issuer')
    equal(await outcome(`${good.slice(0, -4)}AAAA`), 'UNAUTHENTICATED', 'a changed signature')
  })

  await suite.check('a program whose client is disabled gets no more tokens', async () => {
    const { id } = await operator.client(REALM, CLIENT)
    await operator.call('PUT', `${REALM}/clients/${id}`, { clientId: CLIENT, enabled: false })
    const refusal = await machineToken(CLIENT, secret).catch((error: Error) => error.message)
    equal(/invalid_client|unauthorized_client/.test(refusal), true, refusal)
    await operator.call('PUT', `${REALM}/clients/${id}`, { clientId: CLIENT, enabled: true })
  })

  await suite.check('without a client for administration, the API refuses to create accounts with 409', async () => {
    const path = `${system.url}/api/v1/sandboxes/${sandbox.record.sandboxId}/accounts`
    const body = { email: 'a@corp.example', roles: ['user'] }
    equal((await call(path, { token: installation.key, body })).status, 409, 'status')
  })
}
