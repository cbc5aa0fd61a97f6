import { SIGN_IN_CALLBACK } from '@storey/contract'
import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
} from 'oauth4webapi'
import { navigate } from '../router/route.ts'
import { currentLocale } from '../words/locale.ts'
import { discover, GrantRefused, type Provider, redeemCode, refreshTokens } from './provider.ts'
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
    const [provider, owns] = await Promise.all([discover(issuer, clientId), ownsStorage()])
    const parts = { provider, storage }
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
  provider: Provider
  storage: TabStorage
}

async function takeUp(parts: Parts, refreshToken: string): Promise<Session | undefined> {
  const { provider, storage } = parts
  // Whatever becomes of it, this one is used up.
  storage.refreshToken = undefined
  try {
    return createSession({ ...parts, tokens: await refreshTokens(provider, refreshToken) })
  } catch (error) {
    if (error instanceof GrantRefused) return undefined
    storage.refreshToken = refreshToken
    throw error
  }
}

async function comeBack(parts: Parts): Promise<Opening> {
  const { provider, storage } = parts
  const parameters = new URLSearchParams(location.search)
  const { pending } = storage
  storage.pending = undefined
  const isOurs = pending !== undefined && parameters.get('state') === pending.state
  const returnTo = isOurs ? pending.returnTo : '/'
  navigate(returnTo, { replace: true })
  // The address was opened again, or by a link: there is nothing to take up.
  if (!isOurs) return await beginSignIn(parts, returnTo)
  try {
    const redirectUri = location.origin + SIGN_IN_CALLBACK
    const tokens = await redeemCode(provider, { ...pending, parameters, redirectUri })
    return { state: 'signed-in', session: createSession({ ...parts, tokens }) }
  } catch (error) {
    if (!(error instanceof GrantRefused)) throw error
    return { state: 'trouble', reason: 'refused', detail: error.message }
  }
}

async function beginSignIn({ provider, storage }: Parts, returnTo: string): Promise<Opening> {
  const { server, client } = provider
  if (server.authorization_endpoint === undefined) throw new Error('the identity provider has no sign-in page')
  const pending = {
    state: generateRandomState(),
    nonce: generateRandomNonce(),
    verifier: generateRandomCodeVerifier(),
    returnTo,
  }
  storage.pending = pending
  const address = new URL(server.authorization_endpoint)
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: location.origin + SIGN_IN_CALLBACK,
    scope: SCOPE,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
    ui_locales: currentLocale(),
  })) {
    address.searchParams.set(name, value)
  }
  location.assign(address)
  return { state: 'leaving' }
}
