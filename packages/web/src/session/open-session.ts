import { SIGN_IN_CALLBACK } from '@storey/contract'
import { navigate } from '../router/route.ts'
import { currentLocale } from '../words/locale.ts'
import { challengeOf, claimsOf, randomText } from './pkce.ts'
import { discover, GrantRefused, type ProviderEndpoints, requestTokens } from './provider.ts'
import { createSession, type Session } from './session.ts'
import { ownsStorage, type TabStorage, tabStorage } from './tab-storage.ts'

export interface SignInOptions {
  issuer: string | null
  clientId: string
}

export type Opening =
  | { state: 'signed-in'; session: Session }
  /** The browser is on its way to the provider. */
  | { state: 'leaving' }
  | { state: 'signed-out' }
  | { state: 'trouble'; reason: 'none' | 'refused' | 'unreachable'; detail?: string }

const SCOPE = 'openid email profile'

/** Takes up the session of this tab, or a sign-in that comes back, or begins one. */
export async function openSession({ issuer, clientId }: SignInOptions): Promise<Opening> {
  if (issuer === null) return { state: 'trouble', reason: 'none' }
  const storage = tabStorage(clientId)
  try {
    const [endpoints, owns] = await Promise.all([discover(issuer), ownsStorage()])
    const parts = { endpoints, clientId, storage }
    if (location.pathname === SIGN_IN_CALLBACK) return await comeBack(parts)
    if (owns && storage.refreshToken !== undefined) {
      const session = await takeUp(parts, storage.refreshToken)
      if (session) return { state: 'signed-in', session }
    }
    if (storage.wasSignedOut) {
      storage.wasSignedOut = false
      return { state: 'signed-out' }
    }
    return await beginSignIn(parts, location.pathname + location.search + location.hash)
  } catch (error) {
    return { state: 'trouble', reason: 'unreachable', detail: String((error as Error).message) }
  }
}

interface Parts {
  endpoints: ProviderEndpoints
  clientId: string
  storage: TabStorage
}

async function takeUp(parts: Parts, refreshToken: string): Promise<Session | undefined> {
  const { endpoints, clientId, storage } = parts
  // Whatever becomes of it, this one is used up.
  storage.refreshToken = undefined
  try {
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken }
    const tokens = await requestTokens(endpoints, form)
    return createSession({ ...parts, tokens: { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken } })
  } catch (error) {
    if (error instanceof GrantRefused) return undefined
    storage.refreshToken = refreshToken
    throw error
  }
}

async function comeBack(parts: Parts): Promise<Opening> {
  const { endpoints, clientId, storage } = parts
  const answer = new URLSearchParams(location.search)
  const { pending } = storage
  storage.pending = undefined
  const isOurs = pending !== undefined && answer.get('state') === pending.state
  const returnTo = isOurs ? pending.returnTo : '/'
  navigate(returnTo, { replace: true })
  // The address was opened again, or by a link: there is nothing to take up.
  if (!isOurs) return await beginSignIn(parts, returnTo)
  const refused = answer.get('error')
  const issuer = answer.get('iss')
  if (refused !== null || (issuer !== null && issuer !== endpoints.issuer)) {
    return { state: 'trouble', reason: 'refused', detail: answer.get('error_description') ?? refused ?? 'iss' }
  }
  try {
    const tokens = await requestTokens(endpoints, {
      grant_type: 'authorization_code',
      client_id: clientId,
      code: answer.get('code') ?? '',
      redirect_uri: location.origin + SIGN_IN_CALLBACK,
      code_verifier: pending.verifier,
    })
    if (tokens.idToken !== undefined && claimsOf(tokens.idToken).nonce !== pending.nonce) {
      return { state: 'trouble', reason: 'refused', detail: 'nonce' }
    }
    return { state: 'signed-in', session: createSession({ ...parts, tokens }) }
  } catch (error) {
    if (!(error instanceof GrantRefused)) throw error
    return { state: 'trouble', reason: 'refused', detail: error.message }
  }
}

async function beginSignIn({ endpoints, clientId, storage }: Parts, returnTo: string): Promise<Opening> {
  const pending = { state: randomText(16), nonce: randomText(16), verifier: randomText(), returnTo }
  storage.pending = pending
  const address = new URL(endpoints.authorization_endpoint)
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: location.origin + SIGN_IN_CALLBACK,
    scope: SCOPE,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await challengeOf(pending.verifier),
    code_challenge_method: 'S256',
    ui_locales: currentLocale(),
  })) {
    address.searchParams.set(name, value)
  }
  location.assign(address)
  return { state: 'leaving' }
}
