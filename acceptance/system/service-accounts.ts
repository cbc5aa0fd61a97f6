import * as oauth from 'openid-client'
import { api, systemUrl } from './shared.ts'

const issuer = `${systemUrl}/realms/sandboxes`

/** A token by client credentials, as a machine client gets it. */
export async function tokenOf({ clientId, clientSecret }: { clientId: string; clientSecret: string }): Promise<string> {
  const config = await oauth.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    execute: [oauth.allowInsecureRequests],
  })
  return (await oauth.clientCredentialsGrant(config)).access_token
}

/** A new service account of a sandbox, signed in. */
export async function signedIn(key: string, sandboxId: string, role: string, name = role): Promise<string> {
  const path = `/api/v1/sandboxes/${sandboxId}/service-accounts`
  return tokenOf((await api(key, path, { body: { name, roles: [role] } })).json)
}
