import { ok } from 'node:assert/strict'
import { equal } from '../equal.ts'
import type { Suite } from '../suite.ts'
import type { KeycloakOperator } from './keycloak-operator.ts'
import type { Keycloak } from './start-keycloak.ts'

/**
 * Checks that the imported realms are invite only, and that users cannot change the claims that decide what they may
 * do.
 */
export async function checkRealms(suite: Suite, keycloak: Keycloak, operator: KeycloakOperator): Promise<void> {
  await suite.check('nobody can register, as a user or as a client', async () => {
    for (const realm of ['developers', 'sandboxes']) {
      const issuer = `${keycloak.url}/realms/${realm}`
      equal((await operator.call('GET', realm)).registrationAllowed, false)
      const page = await fetch(
        `${issuer}/protocol/openid-connect/registrations?client_id=account&response_type=code&scope=openid`,
      )
      ok(!(await page.text()).includes('password-confirm'), 'there is a registration form')
      const client = await fetch(`${issuer}/clients-registrations/openid-connect`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['https://evil.example/'] }),
      })
      ok(client.status === 401 || client.status === 403, `registering a client answers ${client.status}`)
    }
  })

  await suite.check('a user cannot change their own tenant', async () => {
    const person = { email: 'mallory@corp.example', password: 'a password of mallory' }
    const id = await operator.createUser('sandboxes', { ...person, attributes: { tenant_id: ['org_mine'] } })
    // No realm has a public client with a direct grant for the account page, so this check adds one.
    await operator.call('POST', 'sandboxes/clients', {
      clientId: 'check-account',
      publicClient: true,
      directAccessGrantsEnabled: true,
      fullScopeAllowed: true,
    })
    const grant = { grant_type: 'password', client_id: 'check-account', username: person.email, ...person }
    const token = (await (
      await fetch(`${keycloak.issuers.sandboxes}/protocol/openid-connect/token`, {
        method: 'POST',
        body: new URLSearchParams(grant),
      })
    ).json()) as { access_token: string }
    const answer = await fetch(`${keycloak.issuers.sandboxes}/account/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        username: person.email,
        email: person.email,
        attributes: { tenant_id: ['org_of_others'], building_ids: ['5a5bbd1c-0000-4000-8000-000000000000'] },
      }),
    })
    const { attributes } = await operator.call('GET', `sandboxes/users/${id}`)
    equal(attributes.tenant_id, ['org_mine'], `tenant after ${answer.status}`)
    equal(attributes.building_ids, undefined, 'buildings')
    const { id: client } = await operator.client('sandboxes', 'check-account')
    await operator.call('DELETE', `sandboxes/clients/${client}`)
  })
}
