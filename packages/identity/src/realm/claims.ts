import type { Database } from '@storey/kit/database'
import type { Account, AccountClaims, Client } from 'oidc-provider'
import { type Account as AccountFields, type AccountRow, findEnabled } from '../accounts/accounts.store.ts'
import { extrasOf } from '../clients/client-metadata.ts'
import type { RealmName } from './names.ts'

/**
 * The claim that names an account's organization. In the realm `sandboxes` that is the organization of a sandbox, which
 * is its tenant. A realm of Keycloak can be configured to send the same claims.
 */
const ORGANIZATION_CLAIM = { developers: 'org_id', sandboxes: 'tenant_id' } as const

export const claimNames = (realm: RealmName) => ({
  openid: ['sub', ORGANIZATION_CLAIM[realm], 'realm_access'],
  email: ['email', 'email_verified'],
  profile: ['preferred_username'],
})

export function claimsOf(realm: RealmName, account: AccountFields): AccountClaims {
  return {
    sub: account.id,
    email: account.email,
    // The operator, or the owner or an administrator of the sandbox, has set the address, so it counts as verified.
    email_verified: true,
    preferred_username: account.email,
    [ORGANIZATION_CLAIM[realm]]: account.organizationId,
    realm_access: { roles: account.roles },
  }
}

/** Additional claims of an access token. */
export async function accessClaims(
  database: Database,
  realm: RealmName,
  subject: { client: Client; accountId: string | undefined },
): Promise<Record<string, unknown>> {
  const { client, accountId } = subject
  const azp = client.clientId
  if (accountId !== undefined) {
    const account = await findEnabled(database, realm, accountId)
    if (!account) throw new Error('the account of the token no longer exists, or is disabled')
    const { email_verified: _, ...claims } = claimsOf(realm, account)
    return { ...claims, azp }
  }
  const { serviceAccount, tenantId } = extrasOf(client)
  if (!serviceAccount) throw new Error('a token has neither an account nor a service account')
  return { sub: serviceAccount.id, azp, tenant_id: tenantId, realm_access: { roles: serviceAccount.roles } }
}

interface ProviderAccount extends Account {
  organizationId: string
}

/**
 * The `acr` of a sign-in: the session version of the account before the password was checked. The provider library
 * copies the `acr` to the session, and from there to codes and refresh tokens.
 */
export const acrOf = ({ sessionVersion = 0 }: Pick<AccountRow, 'sessionVersion'>): string => String(sessionVersion)

/**
 * The account, as the OpenID provider library expects it. `acr` is that of the session, code or refresh token; it is
 * undefined if an earlier version of Storey wrote them. For the library a disabled account does not exist, and neither
 * does an account whose sessions were ended after the sign-in.
 */
export async function loadAccount(
  database: Database,
  realm: RealmName,
  id: string,
  acr = acrOf({}),
): Promise<ProviderAccount | undefined> {
  const account = await findEnabled(database, realm, id)
  if (!account || acr !== acrOf(account)) return undefined
  return { accountId: account.id, organizationId: account.organizationId, claims: () => claimsOf(realm, account) }
}

/** Whether an account may use a client. A client that belongs to a tenant accepts only accounts of that tenant. */
export function mayUse(account: Account, client: Client): boolean {
  const { tenantId } = extrasOf(client)
  return tenantId === undefined || account.organizationId === tenantId
}
