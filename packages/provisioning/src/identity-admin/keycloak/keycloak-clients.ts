import { SIGN_IN_CALLBACK } from '@storey/contract'

/** The paths of a shell to which the provider may redirect after a sign-in and a sign-out. */
export const SIGN_IN_PATHS = [SIGN_IN_CALLBACK, '/']

interface NewServiceAccount {
  clientId: string
  clientSecret: string
  name: string
  /** The `aud` of the tokens; undefined: Keycloak's default. */
  audience: string | undefined
}

/** A client like `svc-integration` in `deploy/keycloak/sandboxes-realm.json`. */
export function serviceAccountClient({ clientId, clientSecret, name, audience }: NewServiceAccount): object {
  return {
    clientId,
    name,
    description: 'Created by Storey',
    secret: clientSecret,
    enabled: true,
    protocol: 'openid-connect',
    publicClient: false,
    clientAuthenticatorType: 'client-secret',
    standardFlowEnabled: false,
    directAccessGrantsEnabled: false,
    serviceAccountsEnabled: true,
    // Tokens may have all roles of the account, because only Storey and Keycloak's defaults assign roles to it.
    fullScopeAllowed: true,
    redirectUris: [],
    webOrigins: [],
    protocolMappers: [
      attributeMapper('tenant_id', false),
      attributeMapper('building_ids', true),
      ...(audience === undefined ? [] : [audienceMapper(audience)]),
    ],
  }
}

const IN_ACCESS_TOKENS = {
  'access.token.claim': 'true',
  'id.token.claim': 'false',
  'introspection.token.claim': 'true',
}

const attributeMapper = (claim: string, isList: boolean) => ({
  name: claim,
  protocol: 'openid-connect',
  protocolMapper: 'oidc-usermodel-attribute-mapper',
  config: {
    ...IN_ACCESS_TOKENS,
    'user.attribute': claim,
    'claim.name': claim,
    'jsonType.label': 'String',
    multivalued: String(isList),
  },
})

const audienceMapper = (audience: string) => ({
  name: 'audience',
  protocol: 'openid-connect',
  protocolMapper: 'oidc-audience-mapper',
  config: { ...IN_ACCESS_TOKENS, 'included.custom.audience': audience },
})
