import * as oauth from 'openid-client'
import { api, systemUrl } from './shared.ts'

const issuer = `${systemUrl}/realms/sandboxes`

/** Gets a token with the client credentials grant. */
export async function tokenOf({ clientId, clientSecret }: { clientId: string; clientSecret: string }): Promise<string> {
  const config = await oauth.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    execute: [oauth.allowInsecureRequests],
  })
  return (await oauth.clientCredentialsGrant(config)).access_token
}

/** Creates a service account of a sandbox and gets its token. */
export async function signedIn(key: string, sandboxId: string, role: string, name = role): Promise<string> {
  const path = `/api/v1/sandboxes/${sandboxId}/service-accounts`
  return tokenOf((await api(key, path, { body: { name, roles: [role] } })).json)
}
