import { call } from '../../acceptance/system/call.ts'
import { clientCredentials, createPlatformClient } from '../../packages/sdk/src/index.ts'
import { equal } from '../equal.ts'
import type { Suite } from '../suite.ts'
import type { Installation } from './installation.ts'

const ELSEWHERE = '5a5bbd1c-0000-4000-8000-000000000000'

/** Programs with client credentials, and tokens that must be refused. */
export async function checkMachines(suite: Suite, installation: Installation): Promise<void> {
  const { provider, system, sandbox } = installation
  const { serviceAccount: account } = provider
  const { apiUrl, buildingId, organizationId: tenantId } = sandbox.record
  const building = `${apiUrl}/api/v1/buildings/${buildingId}`
  const outcome = async (token: string, path = '', body?: unknown) => {
    const { status, json } = await call(building + path, { token, ...(body === undefined ? {} : { body }) })
    return status < 400 ? status : json.code
  }
  let layers = 0
  const newLayer = () => ({ key: `layer-${++layers}`, name: 'Layer', valueType: 'NUMBER' })

  await suite.check('a service account reads and writes with client credentials, through the SDK', async () => {
    await account.set({ tenantId, roles: ['manager'] })
    const credential = clientCredentials({
      issuer: provider.issuers.sandboxes,
      clientId: account.clientId,
      clientSecret: account.secret,
      ...(provider.audience === undefined ? {} : { audience: provider.audience }),
    })
    const { data } = await createPlatformClient({ url: apiUrl, credential }).building(buildingId).spaces.list({})
    equal(data.length > 0, true, 'spaces')
    equal(await outcome(await credential.token(), '/data-layers', newLayer()), 201, 'a new layer')
  })

  await suite.check('the roles and the buildings of a service account limit it', async () => {
    await account.set({ tenantId, roles: ['user'] })
    const reader = await account.token()
    equal(await outcome(reader), 200, 'read')
    equal(await outcome(reader, '/data-layers', newLayer()), 'PERMISSION_DENIED', 'write')
    await account.set({ tenantId, roles: ['user'], buildingIds: [ELSEWHERE] })
    const elsewhere = await outcome(await account.token())
    equal(['PERMISSION_DENIED', 'NOT_FOUND'].includes(elsewhere), true, `another building (${elsewhere})`)
    await account.set({ tenantId, roles: ['user'], buildingIds: [buildingId] })
    equal(await outcome(await account.token()), 200, 'its own building')
  })

  await suite.check('tokens of another tenant, audience, issuer or kind are refused', async () => {
    await account.set({ tenantId: 'org_other', roles: ['user'] })
    equal(await outcome(await account.token()), 'PERMISSION_DENIED', 'another tenant')
    await account.set({ roles: ['user'] })
    // The provider may refuse such a token itself.
    const without = await account.token().catch(() => undefined)
    if (without !== undefined) equal(await outcome(without), 'PERMISSION_DENIED', 'no tenant')
    await account.set({ tenantId, roles: ['user'] })
    const good = await account.token()
    equal((await call(`${system.url}/api/v1/sandboxes`, { token: good })).status, 401, 'at the provisioning service')
    equal(await outcome(`${good.slice(0, -4)}AAAA`), 'UNAUTHENTICATED', 'a changed signature')
    const foreign = Object.entries(await provider.foreignTokens())
    for (const [reason, token] of foreign) equal(await outcome(token), 'UNAUTHENTICATED', reason)
    return foreign.map(([reason]) => reason).join(', ')
  })

  await suite.check('a service account that is disabled gets no more tokens', async () => {
    await account.setDisabled(true)
    const refusal = await account.token().catch((error: Error) => error.message)
    equal(/invalid_client|unauthorized_client|access_denied/.test(refusal), true, refusal)
    await account.setDisabled(false)
  })

  await suite.check('without a client for administration, the API answers 409 to creating an account', async () => {
    const path = `${system.url}/api/v1/sandboxes/${sandbox.record.sandboxId}/accounts`
    const body = { email: 'a@corp.example', roles: ['user'] }
    equal((await call(path, { token: installation.key, body })).status, 409, 'status')
  })
}
