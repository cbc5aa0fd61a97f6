import { actorsOf } from '../../acceptance/system/actors.ts'
import type { Answer } from '../../acceptance/system/call.ts'
import { freePort, type System, startSystem } from '../../acceptance/system/system.ts'
import type { Suite } from '../suite.ts'
import { type KeycloakOperator, keycloakOperator } from './keycloak-operator.ts'
import { type Keycloak, startKeycloak } from './start-keycloak.ts'

export const DEVELOPER = { email: 'dana@corp.example', password: 'a first password of dana' }
export const OWN_PASSWORD = 'a password of her own'
export const AUDIENCE = 'storey'

/** A Storey whose both realms are at a Keycloak, with one developer and one sandbox. */
export interface Installation {
  keycloak: Keycloak
  operator: KeycloakOperator
  system: System
  organizationId: string
  /** An API key of the organization. */
  key: string
  sandbox: { record: Answer['json']; connection: Answer['json'] }
  /** Starts Storey again, with a client for administration. */
  restartWithAdmin(clientSecret: string): Promise<System>
  /** Gets a token by client credentials; throws with the answer of Keycloak if it refuses. */
  machineToken(clientId: string, secret: string, scope?: string): Promise<string>
}

export async function startInstallation(suite: Suite): Promise<Installation> {
  const port = await freePort()
  const storeyUrl = `http://localhost:${port}`
  const keycloak = await startKeycloak(storeyUrl)
  suite.onEnd(() => keycloak.kill())
  const operator = keycloakOperator(keycloak.url)
  const env = {
    DEVELOPERS_ISSUER: keycloak.issuers.developers,
    SANDBOXES_ISSUER: keycloak.issuers.sandboxes,
    DEVELOPERS_AUDIENCE: AUDIENCE,
    SANDBOXES_AUDIENCE: AUDIENCE,
    RATE_LIMIT_PER_MINUTE: '0',
    SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'info',
  }
  const system = await startSystem({ port, env })
  suite.onEnd(() => system.remove())
  const actors = actorsOf(system)
  const organizationId = await actors.operator('org', 'create', 'Corporation')
  const attributes = { org_id: [organizationId] }
  await operator.createUser('developers', { ...DEVELOPER, attributes, isTemporary: true })
  await actors.operator('account', 'invite', DEVELOPER.email, '--org', organizationId)
  const key = await actors.operator('key', 'mint', '--org', organizationId)
  const sandbox = await actors.newSandbox(key, { name: 'Corporate' })
  return {
    ...{ keycloak, operator, system, organizationId, key, sandbox },
    async restartWithAdmin(clientSecret) {
      await system.stop()
      const admin = { IDENTITY_ADMIN: 'keycloak', IDENTITY_ADMIN_CLIENT_SECRET: clientSecret }
      const restarted = await startSystem({ port, dataDir: system.dataDir, env: { ...env, ...admin } })
      suite.onEnd(() => restarted.remove())
      return restarted
    },
    async machineToken(clientId, secret, scope) {
      const answer = await fetch(`${keycloak.issuers.sandboxes}/protocol/openid-connect/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) }),
      })
      const body = (await answer.json()) as { access_token?: string }
      if (body.access_token === undefined) throw new Error(JSON.stringify(body))
      return body.access_token
    },
  }
}
