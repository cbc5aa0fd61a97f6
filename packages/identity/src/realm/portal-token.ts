import { PORTAL_CLIENT_ID } from '@storey/contract'
import type { Provider } from 'oidc-provider'
import { newGrant, resourceOf, resourceServer } from './configuration.ts'

export async function issuePortalToken(
  provider: Provider,
  { publicUrl, developerId }: { publicUrl: string; developerId: string },
): Promise<string> {
  const client = await provider.Client.find(PORTAL_CLIENT_ID)
  const resource = resourceOf({ realm: 'developers', publicUrl })
  const grant = await newGrant(provider, PORTAL_CLIENT_ID, developerId, resource)
  const token = new provider.AccessToken({
    client: client!,
    accountId: developerId,
    grantId: grant.jti,
    scope: 'openid email profile',
    gty: 'authorization_code',
    resourceServer: new provider.ResourceServer(resource, resourceServer),
  })
  return await token.save()
}
