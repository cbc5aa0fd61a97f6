import { CLI_CLIENT_ID } from '@storey/contract'
import { type Connect, type ConnectInit, reasonOf, UnreachableError } from '@storey/sdk'
import {
  AuthorizationResponseError,
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  clockTolerance,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
  processUserInfoResponse,
  ResponseBodyError,
  skipSubjectCheck,
  userInfoRequest,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi'
import { CliError } from '../errors.ts'

const TIMEOUT_MS = 6000
export const ACCEPT = { accept: 'application/json' }

export type Fetch = Connect

/** An OpenID provider, as its discovery document describes it. */
export type Realm = AuthorizationServer

/**
 * The tool as a client of a realm. A clock that is a day off is tolerated. This is safe, because the ID token comes
 * directly from the realm.
 */
export const clientOf = (clientId = CLI_CLIENT_ID): Client => ({ client_id: clientId, [clockTolerance]: 86_400 })

/** The request that the library passes to its fetch function. */
interface FetchOptions {
  method: string
  headers: Record<string, string>
  body?: unknown
}

/** Plain HTTP is allowed only if the realm's own address uses it, as on localhost. */
export function optionsFor(fetch: Fetch, issuer: string) {
  return {
    headers: { 'user-agent': 'svc' },
    [allowInsecureRequests]: new URL(issuer).protocol === 'http:',
    [customFetch]: async (url: string, { body, method, headers }: FetchOptions) => {
      const answer = await send(fetch, url, { method, headers, ...(body ? { body: String(body) } : {}) })
      // An outage or a rate limit is reported as an unreachable realm, so that it does not end the session.
      if (answer.status < 500 && answer.status !== 429 && answer.status !== 408) return answer
      throw unreachable(url, `it answered ${answer.status}`)
    },
  }
}

/** An error response of an OAuth endpoint. */
export class Refusal extends Error {
  readonly error: string

  constructor(error: string, description: string | undefined, cause: unknown) {
    super(description ?? error, { cause })
    this.error = error
  }
}

/** Waits for the response, and checks that it follows the protocol. */
export async function checked<T>(
  { issuer }: Realm,
  answer: Promise<Response>,
  check: (answer: Response) => Promise<T>,
): Promise<T> {
  try {
    return await check(await answer)
  } catch (error) {
    if (error instanceof UnreachableError) throw error
    if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError)
      throw new Refusal(error.error, error.error_description, error)
    if (error instanceof WWWAuthenticateChallengeError) throw new Refusal('invalid_client', undefined, error)
    throw new CliError(`${issuer} does not answer as an identity provider: ${(error as Error).message}.`, {
      code: 'NO_REALM',
      cause: error,
    })
  }
}

export async function discoverRealm(fetch: Fetch, issuer: string): Promise<Realm> {
  const base = issuer.replace(/\/+$/, '')
  if (!URL.canParse(base)) throw noRealm(issuer)
  const answer = await discoveryRequest(new URL(base), optionsFor(fetch, base))
  // A document with another issuer is refused: its endpoints could belong to a third party, who would get the tokens.
  const realm = await processDiscoveryResponse(new URL(base), answer.clone())
    .catch(() => processDiscoveryResponse(new URL(`${base}/`), answer))
    .catch(() => undefined)
  if (realm?.token_endpoint !== undefined) return realm
  throw noRealm(issuer)
}

function noRealm(issuer: string): CliError {
  return new CliError(`There is no identity provider at ${issuer}.`, {
    code: 'NO_REALM',
    next: 'Use --api for the address of the service, or login --issuer for its developers realm.',
  })
}

/** The claims of the user; undefined if the realm does not accept the token, or has no userinfo endpoint. */
export async function fetchUserInfo(fetch: Fetch, realm: Realm, accessToken: string): Promise<Body | undefined> {
  if (realm.userinfo_endpoint === undefined) return undefined
  const answer = await userInfoRequest(realm, clientOf(), accessToken, optionsFor(fetch, realm.issuer))
  return await processUserInfoResponse(realm, clientOf(), skipSubjectCheck, answer).catch(() => undefined)
}

export type Body = Record<string, unknown>

/** Reads the whole body, so that the time limit includes a slow response. */
export async function send(fetch: Fetch, url: string, init: ConnectInit): Promise<Response> {
  const limit = new AbortController()
  // This timer keeps the process alive until the response arrives. The timer of AbortSignal.timeout does not.
  const timer = setTimeout(() => limit.abort(), TIMEOUT_MS)
  try {
    const answer = await fetch(url, { ...init, redirect: 'manual', signal: limit.signal })
    const text = await answer.text()
    const hasBody = ![204, 205, 304].includes(answer.status)
    return new Response(hasBody ? text : null, { status: answer.status, headers: answer.headers })
  } catch (error) {
    throw unreachable(url, limit.signal.aborted ? 'no answer in time' : reasonOf(error), error)
  } finally {
    clearTimeout(timer)
  }
}

export async function readJson(answer: Response): Promise<Body> {
  const text = await answer.text().catch(() => '')
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Body) : {}
  } catch {
    return {}
  }
}

function unreachable(url: string, reason: string, cause?: unknown): UnreachableError {
  return new UnreachableError(new URL(url).origin, reason, { cause })
}
