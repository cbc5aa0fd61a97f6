import { SIGN_IN_CALLBACK, type SignInConfig } from '@storey/contract'
import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
} from 'oauth4webapi'
import { currentLocale } from '../i18n/locale.ts'
import { navigate } from '../router/route.ts'
import { discover, GrantRefused, type Provider, redeemCode, refreshTokens, type Tokens } from './provider.ts'
import { createSession, type Session, type UserClaims } from './session.ts'
import { ownsStorage, type TabStorage, tabStorage } from './tab-storage.ts'

export type SignInOptions = SignInConfig & UserClaims

export type SignInResult =
  | { state: 'signed-in'; session: Session }
  /** The browser is being redirected to the provider. */
  | { state: 'redirecting' }
  | { state: 'signed-out' }
  /**
   * `no-provider`: the installation has no issuer. `denied`: the user cancelled the sign-in, or was denied access.
   * `refused`: the provider refused the request, or its response failed a check. `unreachable`: any other failure.
   */
  | { state: 'failed'; reason: 'no-provider' | 'denied' | 'refused' | 'unreachable'; detail?: string }

/**
 * Resumes the session of this tab, completes a sign-in that returns from the provider, or starts a sign-in. On the
 * first page after a sign-out it starts no sign-in, and returns `signed-out`.
 */
export async function openSession(config: SignInOptions): Promise<SignInResult> {
  const { issuer, clientId } = config
  if (issuer === null) return { state: 'failed', reason: 'no-provider' }
  const storage = tabStorage(clientId)
  try {
    const [provider, owns] = await Promise.all([discover(issuer, clientId), ownsStorage()])
    const parts = { provider, storage, config }
    if (location.pathname === SIGN_IN_CALLBACK) return await completeSignIn(parts)
    if (owns && storage.refreshToken !== undefined) {
      const session = await resumeSession(parts, storage.refreshToken)
      if (session) return { state: 'signed-in', session }
    }
    if (storage.wasSignedOut) {
      storage.wasSignedOut = false
      return { state: 'signed-out' }
    }
    return await startSignIn(parts, currentAddress())
  } catch (error) {
    return { state: 'failed', reason: 'unreachable', detail: String((error as Error).message) }
  }
}

/** The visitor of a page that works without a sign-in. */
export interface Visitor {
  /** Undefined if this tab has no session. */
  session: Session | undefined
  /** Redirects the browser to the provider, which later returns the user to this page. */
  signIn(): Promise<unknown>
}

/** Resumes the session of this tab, and starts no sign-in. Undefined without an identity provider. */
export async function openVisitor(config: SignInOptions): Promise<Visitor | undefined> {
  const { issuer, clientId } = config
  if (issuer === null) return undefined
  const storage = tabStorage(clientId)
  const [provider, owns] = await Promise.all([discover(issuer, clientId), ownsStorage()])
  const parts = { provider, storage, config }
  const { refreshToken } = storage
  const session = owns && refreshToken !== undefined ? await resumeSession(parts, refreshToken) : undefined
  return { session, signIn: () => startSignIn(parts, currentAddress()) }
}

const currentAddress = () => location.pathname + location.search + location.hash

/**
 * The paths of the API reference. The reference is not part of an app, but its sign-in returns to the callback of the
 * app. The app completes the sign-in, and then loads the reference.
 */
const OUTSIDE = /^\/docs(?:[/?#]|$)/

interface Parts {
  provider: Provider
  storage: TabStorage
  config: SignInOptions
}

function newSession({ provider, storage, config }: Parts, tokens: Tokens): Session {
  return createSession({ provider, storage, tokens, claims: config })
}

async function resumeSession(parts: Parts, refreshToken: string): Promise<Session | undefined> {
  const { provider, storage } = parts
  // With some providers a refresh token works only once. It is removed first, so that a reload during the request does
  // not use it again.
  storage.refreshToken = undefined
  try {
    return newSession(parts, await refreshTokens(provider, refreshToken))
  } catch (error) {
    if (error instanceof GrantRefused) return undefined
    storage.refreshToken = refreshToken
    throw error
  }
}

async function completeSignIn(parts: Parts): Promise<SignInResult> {
  const { provider, storage } = parts
  const parameters = new URLSearchParams(location.search)
  const { pending } = storage
  storage.pending = undefined
  const isOurs = pending !== undefined && parameters.get('state') === pending.state
  const returnTo = isOurs ? pending.returnTo : '/'
  navigate(returnTo, { replace: true })
  // This tab did not start the sign-in: the callback was opened a second time or from a link.
  if (!isOurs) return await startSignIn(parts, returnTo)
  try {
    const redirectUri = location.origin + SIGN_IN_CALLBACK
    const tokens = await redeemCode(provider, { ...pending, parameters, redirectUri })
    const session = newSession(parts, tokens)
    if (!OUTSIDE.test(returnTo)) return { state: 'signed-in', session }
    location.reload()
    return { state: 'redirecting' }
  } catch (error) {
    if (!(error instanceof GrantRefused)) throw error
    if (error.isDenied) return { state: 'failed', reason: 'denied' }
    return { state: 'failed', reason: 'refused', detail: error.message }
  }
}

async function startSignIn({ provider, storage, config }: Parts, returnTo: string): Promise<SignInResult> {
  const { server, client } = provider
  if (server.authorization_endpoint === undefined)
    throw new Error('the identity provider has no authorization_endpoint')
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
    scope: config.scope,
    ...(config.audience === null ? {} : { audience: config.audience }),
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
    ui_locales: currentLocale(),
  })) {
    address.searchParams.set(name, value)
  }
  location.assign(address)
  return { state: 'redirecting' }
}
