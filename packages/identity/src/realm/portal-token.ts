import type { Provider } from 'oidc-provider'
import { PORTAL_CLIENT } from '../clients/client-metadata.ts'
import { newGrant, resourceOf, resourceServer } from './configuration.ts'

export async function issuePortalToken(
  provider: Provider,
  { publicUrl, developerId }: { publicUrl: string; developerId: string },
): Promise<string> {
  const client = await provider.Client.find(PORTAL_CLIENT)
  const resource = resourceOf({ realm: 'developers', publicUrl })
  const grant = await newGrant(provider, PORTAL_CLIENT, developerId, resource)
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
