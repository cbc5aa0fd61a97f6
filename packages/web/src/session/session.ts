import { type Credential, session as sdkSession } from '@storey/sdk'
import { currentLocale } from '../words/locale.ts'
import { claimsOf } from './claims.ts'
import { GrantRefused, type Provider, refreshTokens, revoke, type Tokens } from './provider.ts'
import type { TabStorage } from './tab-storage.ts'

export interface SessionUser {
  id: string
  name: string
  email?: string
  /** Roles of the realm, as the access token carries them. */
  roles: readonly string[]
}

/** The provider takes it no longer, or the person signed out in another tab. */
export type Ending = 'refused' | 'signed-out'

/** Nothing is asked for any more: the page says so, once for all. */
export class SessionOver extends Error {
  constructor() {
    super('The session is over')
  }
}

/** Somebody is signed in. */
export interface Session {
  readonly user: SessionUser
  /** For the clients of the SDK. */
  readonly credential: Credential
  /** The access token at this moment; it may be about to expire. */
  readonly accessToken: string
  /** An access token that is good for a while. Refuses with SessionOver once there is none. */
  token(): Promise<string>
  /** Why it is over; undefined while it is not. */
  readonly ending: Ending | undefined
  /** Told of each new access token, and of the end of the session (undefined). */
  onToken(listener: (token: string | undefined) => void): () => void
  /** Leaves the page. */
  signOut(): Promise<void>
}

/** Renewed this long before it expires. */
const AHEAD_MS = 30_000

export interface SessionParts {
  provider: Provider
  storage: TabStorage
  tokens: Tokens
}

export function createSession({ provider, storage, ...first }: SessionParts): Session {
  let { tokens } = first
  const listeners = new Set<(token: string | undefined) => void>()
  let renewing: Promise<boolean> | undefined
  let ending: Ending | undefined
  storage.refreshToken = tokens.refreshToken

  async function renewOnce(): Promise<boolean> {
    const { refreshToken } = tokens
    if (refreshToken === undefined) return end('refused')
    try {
      const next = await refreshTokens(provider, refreshToken)
      tokens = { ...next, idToken: next.idToken ?? tokens.idToken }
      storage.refreshToken = tokens.refreshToken
      for (const listener of listeners) listener(tokens.accessToken)
      return true
    } catch (error) {
      // No answer is no refusal: the next call tries again.
      if (error instanceof GrantRefused) return end('refused')
      return false
    }
  }

  function end(why: Ending): false {
    storage.refreshToken = undefined
    tokens = { ...tokens, refreshToken: undefined }
    if (ending === why) return false
    ending = why
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
    if (ending === undefined && Date.now() > tokens.expiresAt - AHEAD_MS) await renew()
    if (ending !== undefined) throw new SessionOver()
    return tokens.accessToken
  }

  // The other tabs of the same person: they leave with this one.
  const others =
    typeof BroadcastChannel === 'undefined'
      ? undefined
      : new BroadcastChannel(`storey.session.${provider.client.client_id}`)
  if (others) others.onmessage = () => void end('signed-out')

  return {
    user: userOf(tokens),
    credential: sdkSession({ get: token, refresh: renew }),
    get accessToken() {
      return tokens.accessToken
    },
    get ending() {
      return ending
    },
    token,
    onToken(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async signOut() {
      storage.refreshToken = undefined
      storage.wasSignedOut = true
      others?.postMessage('signed out')
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

function userOf({ accessToken, idToken }: Tokens): SessionUser {
  const claims = { ...claimsOf(accessToken), ...(idToken === undefined ? {} : claimsOf(idToken)) }
  const { sub, email, name, preferred_username: handle } = claims as Record<string, string | undefined>
  const roles = (claims.realm_access as { roles?: string[] } | undefined)?.roles ?? []
  return { id: sub ?? '', name: name ?? handle ?? email ?? sub ?? '', ...(email === undefined ? {} : { email }), roles }
}
