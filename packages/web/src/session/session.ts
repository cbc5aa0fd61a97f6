import { actorOf, renameClaims, rolesAt } from '@storey/contract'
import { type Credential, StoreyError, session as sdkSession } from '@storey/sdk'
import { currentLocale } from '../i18n/locale.ts'
import { claimsOf } from './claims.ts'
import { GrantRefused, type Provider, refreshTokens, revoke, type Tokens } from './provider.ts'
import type { TabStorage } from './tab-storage.ts'

export interface SessionUser {
  id: string
  name: string
  email?: string
  /** The name of the user in the records of a sandbox, derived from the claims of the access token. */
  actor: string
  /** The roles in the access token, which the API checks. */
  roles: readonly string[]
}

/**
 * `refused`: the provider refused a renewal, or has issued no refresh token. `signed-out`: the user signed out in
 * another tab.
 */
export type EndReason = 'refused' | 'signed-out'

/**
 * Calls fail with this error once the session has ended. The page shows one notice for all of them. The error has the
 * status 401, which ends live channels.
 */
export class SessionEndedError extends StoreyError {
  constructor() {
    const title = 'The session has ended'
    super({ type: 'about:blank', title, status: 401, detail: title, code: 'UNAUTHENTICATED' })
  }
}

/** The session of a signed-in user. */
export interface Session {
  readonly user: SessionUser
  /** The credential that SDK clients use. */
  readonly credential: Credential
  /** The current access token; it may be about to expire. */
  readonly accessToken: string
  /**
   * Returns the access token, and renews it first if it is about to expire. If the provider is unavailable, the old
   * token is returned. Rejects with SessionEndedError once the session has ended.
   */
  token(): Promise<string>
  /** Why the session ended; undefined while it is active. */
  readonly endReason: EndReason | undefined
  /** Calls the listener with each new access token, and with undefined when the session ends. */
  onToken(listener: (token: string | undefined) => void): () => void
  /** Signs out and leaves the page. */
  signOut(): Promise<void>
}

/** `token()` renews a token that expires within this time. */
const RENEW_AHEAD_MS = 30_000

/** The names of claims in access tokens. A claim without an entry has the name that the embedded provider uses. */
export interface UserClaims {
  rolesClaim?: string
  emailClaim?: string
  subjectClaim?: string
}

export interface SessionParts {
  provider: Provider
  storage: TabStorage
  tokens: Tokens
  claims?: UserClaims
}

export function createSession({ provider, storage, claims = {}, ...first }: SessionParts): Session {
  let { tokens } = first
  const listeners = new Set<(token: string | undefined) => void>()
  let renewing: Promise<boolean> | undefined
  let endReason: EndReason | undefined
  storage.refreshToken = tokens.refreshToken

  async function renewOnce(): Promise<boolean> {
    if (endReason !== undefined) return false
    const { refreshToken } = tokens
    if (refreshToken === undefined) return end('refused')
    try {
      const next = await refreshTokens(provider, refreshToken)
      // The user has signed out in another tab during the request.
      if (endReason !== undefined) return false
      tokens = { ...next, idToken: next.idToken ?? tokens.idToken }
      storage.refreshToken = tokens.refreshToken
      for (const listener of listeners) listener(tokens.accessToken)
      return true
    } catch (error) {
      // Only a refusal ends the session. After an outage the next call tries again.
      if (error instanceof GrantRefused) return end('refused')
      return false
    }
  }

  function end(reason: EndReason): false {
    storage.refreshToken = undefined
    tokens = { ...tokens, refreshToken: undefined }
    // A refusal that arrives after a sign-out does not replace the notice of the sign-out.
    if (endReason === 'signed-out' || endReason === reason) return false
    endReason = reason
    for (const listener of listeners) listener(undefined)
    return false
  }

  const renew = () => {
    renewing ??= renewOnce().finally(() => {
      renewing = undefined
    })
    return renewing
  }
  const token = async () => {
    if (endReason === undefined && Date.now() > tokens.expiresAt - RENEW_AHEAD_MS) await renew()
    if (endReason !== undefined) throw new SessionEndedError()
    return tokens.accessToken
  }

  // Signing out in one tab ends the session in the other tabs.
  const otherTabs =
    typeof BroadcastChannel === 'undefined'
      ? undefined
      : new BroadcastChannel(`storey.session.${provider.client.client_id}`)
  if (otherTabs) otherTabs.onmessage = () => void end('signed-out')

  return {
    user: userOf(tokens, claims),
    credential: sdkSession({ get: token, refresh: renew }),
    get accessToken() {
      return tokens.accessToken
    },
    get endReason() {
      return endReason
    },
    token,
    onToken(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async signOut() {
      storage.refreshToken = undefined
      storage.wasSignedOut = true
      otherTabs?.postMessage('signed out')
      // A renewal in progress stores a new refresh token. The new token must be revoked, not the old one.
      await renewing
      storage.refreshToken = undefined
      if (tokens.refreshToken !== undefined) await revoke(provider, tokens.refreshToken)
      location.assign(signOutAddress(provider, tokens.idToken))
    },
  }
}

function signOutAddress({ server, client }: Provider, idToken: string | undefined): string {
  const home = `${location.origin}/`
  if (server.end_session_endpoint === undefined) return home
  const address = new URL(server.end_session_endpoint)
  address.searchParams.set('client_id', client.client_id)
  address.searchParams.set('post_logout_redirect_uri', home)
  if (idToken !== undefined) address.searchParams.set('id_token_hint', idToken)
  address.searchParams.set('ui_locales', currentLocale())
  return address.href
}

function userOf({ accessToken, idToken }: Tokens, names: UserClaims): SessionUser {
  const ofAccess = claimsOf(accessToken)
  const claims = { ...ofAccess, ...(idToken === undefined ? {} : claimsOf(idToken)) }
  const { sub, email, name, preferred_username: handle } = claims as Record<string, string | undefined>
  const { rolesClaim, emailClaim = 'email', subjectClaim = 'sub' } = names
  const renamed = renameClaims(ofAccess, { email: emailClaim, sub: subjectClaim })
  return {
    id: sub ?? '',
    name: name ?? handle ?? email ?? sub ?? '',
    ...(email === undefined ? {} : { email }),
    actor: actorOf(renamed, String(renamed.sub)),
    roles: rolesAt(ofAccess, rolesClaim),
  }
}
