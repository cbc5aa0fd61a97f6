import { CLI_CLIENT_ID, PORTAL_CLIENT_ID, SIGN_IN_CALLBACK } from '@storey/contract'
import type { Client, ClientMetadata } from 'oidc-provider'
import type { ClientRow } from './clients.store.ts'

export const PORTAL_NAME = 'Storey portal'
/** The portal's page for the user code of a device (RFC 8628). */
export const DEVICE_PAGE = '/device'

/** The fields that Storey adds to those that the provider library defines for a client. */
export const EXTRA_METADATA = ['tenant_id', 'service_account_id', 'service_account_roles'] as const

export interface ClientExtras {
  tenantId: string | undefined
  serviceAccount: { id: string; roles: string[] } | undefined
}

export function extrasOf(client: Client): ClientExtras {
  const { tenant_id, service_account_id, service_account_roles } = client
  return {
    tenantId: tenant_id as string | undefined,
    serviceAccount:
      typeof service_account_id === 'string'
        ? { id: service_account_id, roles: service_account_roles as string[] }
        : undefined,
  }
}

/**
 * The metadata of a browser application. The authorization code is returned only in the query of a registered redirect
 * URI.
 */
function browserClient(redirectUris: readonly string[], afterSignOut: readonly string[]) {
  return {
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code' as const],
    response_modes: ['query'],
    token_endpoint_auth_method: 'none' as const,
    redirect_uris: [...redirectUris],
    post_logout_redirect_uris: [...afterSignOut],
  }
}

export function developerClients(publicUrl: string, portalRedirectPaths: readonly string[]): ClientMetadata[] {
  return [
    {
      client_id: PORTAL_CLIENT_ID,
      client_name: PORTAL_NAME,
      ...browserClient(
        portalRedirectPaths.map((path) => `${publicUrl}${path}`),
        [publicUrl, `${publicUrl}/`, `${publicUrl}${DEVICE_PAGE}`],
      ),
    },
    {
      client_id: CLI_CLIENT_ID,
      client_name: 'Storey command line (svc)',
      application_type: 'native',
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      response_types: [],
      redirect_uris: [],
      token_endpoint_auth_method: 'none',
    },
  ]
}

/** Returns the origin of a client's shell, which depends on the current settings. */
export type ShellOriginOf = (clientId: string) => string

export function clientMetadata(row: ClientRow, shellOriginOf: ShellOriginOf): ClientMetadata {
  const common = { client_id: row.clientId, tenant_id: row.tenantId }
  if (row.kind === 'shell') {
    const origin = shellOriginOf(row.clientId)
    const client = browserClient([origin + SIGN_IN_CALLBACK], [origin, `${origin}/`])
    return { ...common, client_name: new URL(origin).host, ...client }
  }
  return {
    ...common,
    client_name: row.name,
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
    token_endpoint_auth_method: 'client_secret_basic',
    // This is the hash of the secret. The provider calls `compareClientSecret`, which hashes the sent secret and
    // compares the hashes.
    client_secret: row.secretHash!.toString('hex'),
    service_account_id: row.id,
    service_account_roles: row.roles,
  }
}
