import { LIMITS } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import type { Configuration, Grant, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { errors, interactionPolicy } from 'oidc-provider'
import { findAccount } from '../accounts/accounts.store.ts'
import { developerClients, EXTRA_METADATA, type ShellOriginOf } from '../clients/client-metadata.ts'
import { SIGNING_ALGORITHM, type SigningKey } from '../keys/signing-keys.ts'
import type { Pages } from '../pages/pages.ts'
import { LOCALES } from '../pages/texts.ts'
import type { Vault } from '../vault.ts'
import { createAdapter } from './adapter.ts'
import { accessClaims, claimNames, loadAccount, mayUse } from './claims.ts'
import { interactionUrl } from './interactions.ts'
import { type RealmName, realmPath } from './names.ts'
import { isRequestedByOwnSession, signOut } from './sign-out.ts'

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S
const DAY_S = 24 * HOUR_S

export const ACCESS_TOKEN_S = 10 * MINUTE_S
export const SESSION_S = 12 * HOUR_S
/** The lifetime of a session before a sign-in. It is short, because anybody can create such a session. */
const EMPTY_SESSION_S = HOUR_S
const OFFLINE_S = LIMITS.offlineSessionDays * DAY_S

export const SCOPES = 'openid email profile offline_access'

export interface RealmOptions {
  realm: RealmName
  database: Database
  vault: Vault
  publicUrl: string
  portalRedirectPaths: readonly string[]
  shellOriginOf: ShellOriginOf
  pages: Pages
  addressOf(ctx: KoaContextWithOIDC): string
}

/** The audience of a realm's access tokens. */
export const resourceOf = ({ realm, publicUrl }: Pick<RealmOptions, 'realm' | 'publicUrl'>) =>
  `${publicUrl}${realmPath(realm)}/api`

export const resourceServer = {
  scope: SCOPES,
  accessTokenFormat: 'jwt',
  accessTokenTTL: ACCESS_TOKEN_S,
  jwt: { sign: { alg: SIGNING_ALGORITHM } },
} as const

export function configure(options: RealmOptions, keys: readonly SigningKey[]): Configuration {
  const { realm, database, vault, publicUrl, pages, addressOf } = options
  const path = realmPath(realm)
  const resource = resourceOf(options)
  return {
    adapter: createAdapter({ database, vault, realm, shellOriginOf: options.shellOriginOf }),
    jwks: { keys: [...keys] },
    clients: realm === 'developers' ? developerClients(publicUrl, options.portalRedirectPaths) : [],
    clientDefaults: { id_token_signed_response_alg: SIGNING_ALGORITHM },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    extraClientMetadata: { properties: [...EXTRA_METADATA] },
    clientBasedCORS: (_ctx, origin, client) =>
      client.clientAuthMethod === 'none' && (client.redirectUris ?? []).some((uri) => new URL(uri).origin === origin),
    scopes: SCOPES.split(' '),
    claims: claimNames(realm),
    responseTypes: ['code'],
    pkce: { required: () => true },
    enabledJWA: { idTokenSigningAlgValues: [SIGNING_ALGORITHM] },
    allowOmittingSingleRegisteredRedirectUri: false,
    cookies: {
      keys: [vault.cookieKey],
      names: {
        session: `storey_${realm}`,
        interaction: `storey_${realm}_step`,
        resume: `storey_${realm}_resume`,
      },
      long: { httpOnly: true, sameSite: 'lax', signed: true, path },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    routes: { revocation: '/revoke', end_session: '/logout' },
    // userinfo.ts serves this endpoint. The realms issue JWTs, and the provider's own endpoint accepts only opaque
    // tokens.
    discovery: { userinfo_endpoint: `${publicUrl}${path}/userinfo`, ui_locales_supported: [...LOCALES] },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      clientCredentials: { enabled: realm === 'sandboxes' },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx) => (isRequestedByOwnSession(ctx) ? signOut(ctx) : pages.signOut(ctx)),
        postLogoutSuccessSource: pages.signedOut,
      },
      deviceFlow: {
        enabled: realm === 'developers',
        charset: 'base-20',
        mask: '****-****',
        deviceInfo: (ctx) => ({ address: addressOf(ctx), program: ctx.get('user-agent').slice(0, 200) }),
        userCodeInputSource: pages.deviceCode,
        userCodeConfirmSource: async (ctx, form, client, device, userCode) =>
          pages.deviceConfirm(ctx, form, client, device, userCode, await emailOf(ctx, database)),
        successSource: pages.deviceDone,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource(_ctx, _client, oneOf) {
          if (oneOf?.some((wanted) => wanted !== resource)) throw new errors.InvalidTarget()
          return resource
        },
        useGrantedResource: () => true,
        getResourceServerInfo(ctx, wanted) {
          if (wanted === resource) return resourceServer
          // The refresh token is from before a change of the public URL, so the user has to sign in again.
          if (ctx.oidc.params?.resource === undefined) throw new errors.InvalidGrant('granted for another resource')
          throw new errors.InvalidTarget()
        },
      },
    },
    formats: {
      customizers: {
        async jwt(_ctx, token, parts) {
          const accountId = 'accountId' in token ? (token.accountId as string | undefined) : undefined
          Object.assign(parts.payload, await accessClaims(database, realm, { client: token.client!, accountId }))
        },
      },
    },
    ttl: {
      AccessToken: ACCESS_TOKEN_S,
      ClientCredentials: ACCESS_TOKEN_S,
      IdToken: ACCESS_TOKEN_S,
      AuthorizationCode: MINUTE_S,
      DeviceCode: 10 * MINUTE_S,
      Interaction: HOUR_S,
      Session: (_ctx, { accountId }) => (accountId === undefined ? EMPTY_SESSION_S : SESSION_S),
      RefreshToken: (_ctx, token) => (token.scopes.has('offline_access') ? OFFLINE_S : SESSION_S),
      // Long enough never to apply: the adapter lets a grant expire with its last token.
      Grant: 3650 * DAY_S,
    },
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // The session of a device is independent of the browser in which its user code was entered.
    expiresWithSession: (_ctx, source) => source.kind === 'AuthorizationCode' && !source.scopes.has('offline_access'),
    findAccount(ctx, id, source) {
      // Without a code or a refresh token, the account is that of the session.
      const { acr } = (source ?? ctx.oidc.session ?? {}) as { acr?: string }
      return loadAccount(database, realm, id, acr)
    },
    loadExistingGrant: (ctx) => grantFor(ctx, resource),
    interactions: { policy: policy(), url: (_ctx, interaction) => interactionUrl(realm, interaction) },
    renderError: pages.error,
  }
}

/** The email address of the account of this browser's session. */
async function emailOf({ oidc }: KoaContextWithOIDC, database: Database): Promise<string | undefined> {
  const id = oidc.session?.accountId
  return id === undefined ? undefined : (await findAccount(database, 'developers', id))?.email
}

function policy(): interactionPolicy.DefaultPolicy {
  const { Check, base } = interactionPolicy
  const prompts = base()
  prompts.get('login')!.checks.add(
    new Check('other_account', 'the account of the session may not use this client', 'login_required', (ctx) => {
      const { session, account, client } = ctx.oidc
      if (session?.accountId === undefined) return Check.NO_NEED_TO_PROMPT
      return !account || !mayUse(account, client!) ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT
    }),
  )
  // The user confirms the CLI on the page that shows the user code.
  prompts.get('consent')!.checks.remove('native_client_prompt')
  return prompts
}

/**
 * All clients are first-party, so scopes are granted without consent, unless the client itself requests a consent page.
 */
async function grantFor(ctx: KoaContextWithOIDC, resource: string): Promise<Grant | undefined> {
  const { provider, client, session, account, route } = ctx.oidc
  if (!client || !account || !mayUse(account, client)) return undefined
  // Each device has its own grant, so that signing one out does not affect the others.
  const isDevice = route === 'code_verification' || route === 'device_resume'
  const known = isDevice ? undefined : session?.grantIdFor(client.clientId)
  const found = known === undefined ? undefined : await provider.Grant.find(known)
  return found?.accountId === account.accountId && found.resources?.[resource] !== undefined
    ? found
    : await newGrant(provider, client.clientId, account.accountId, resource)
}

export async function newGrant(
  provider: Provider,
  clientId: string,
  accountId: string,
  resource: string,
): Promise<Grant> {
  const grant = new provider.Grant({ clientId, accountId })
  grant.addOIDCScope(SCOPES)
  grant.addResourceScope(resource, SCOPES)
  await grant.save()
  return grant
}
