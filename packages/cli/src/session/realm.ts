import { CLI_CLIENT_ID, PORTAL_CLIENT_ID, type PortalConfig } from '@storey/contract'
import { type Connect, type ConnectInit, reasonOf, UnreachableError } from '@storey/sdk'
import { CliError } from '../errors.ts'

const TIMEOUT_MS = 6000
const ACCEPT = { accept: 'application/json' }

export type Fetch = Connect

/** What the tool uses of an OpenID provider's discovery document. */
export interface Realm {
  issuer: string
  token_endpoint: string
  device_authorization_endpoint?: string
  revocation_endpoint?: string
  userinfo_endpoint?: string
}

/** A word of OAuth in place of an answer. */
export class OAuthError extends Error {
  readonly error: string

  constructor(error: string, description: string | undefined) {
    super(description ?? error)
    this.error = error
  }
}

/** The developers realm of a service: the one its portal signs in at, or else the embedded one's usual place. */
export async function issuerOf(fetch: Fetch, service: string): Promise<string> {
  const answer = await send(fetch, `${service}/config.json`, { method: 'GET', headers: ACCEPT })
  const config = (answer.ok ? await readJson(answer) : {}) as Partial<PortalConfig>
  if (config.clientId === PORTAL_CLIENT_ID) {
    if (typeof config.issuer === 'string') return config.issuer
    throw new CliError(`${service} has no developers realm: nobody can sign in.`, {
      code: 'NO_REALM',
      next: 'Set SVC_API_TOKEN to an API key of that service.',
    })
  }
  if (typeof config.clientId === 'string') {
    throw new CliError(`${service} is the address of a sandbox, where developers do not sign in.`, {
      code: 'NO_REALM',
      next: `Give the provisioning service with --api ${config.publicUrl ?? '<url>'}.`,
    })
  }
  return `${service}/realms/developers`
}

export async function discoverRealm(fetch: Fetch, issuer: string): Promise<Realm> {
  const base = issuer.replace(/\/+$/, '')
  const answer = await send(fetch, `${base}/.well-known/openid-configuration`, { method: 'GET', headers: ACCEPT })
  if (answer.status >= 500) throw unreachable(issuer, `it answered ${answer.status}`)
  const body = answer.ok ? await readJson(answer) : {}
  // A document that names another issuer is not this one's: tokens would go to a stranger.
  if (typeof body.token_endpoint !== 'string' || String(body.issuer).replace(/\/+$/, '') !== base) {
    throw new CliError(`There is no identity provider at ${issuer}.`, {
      code: 'NO_REALM',
      next: 'Give the address of the service with --api, or that of its developers realm with login --issuer.',
    })
  }
  return body as unknown as Realm
}

export async function postForm(fetch: Fetch, url: string, fields: Record<string, string>): Promise<Body> {
  const answer = await send(fetch, url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...ACCEPT },
    body: new URLSearchParams({ client_id: CLI_CLIENT_ID, ...fields }).toString(),
  })
  const body = await readJson(answer)
  if (answer.ok) return body
  if (answer.status >= 500) throw unreachable(url, `it answered ${answer.status}`)
  const { error, error_description: description } = body
  throw new OAuthError(
    typeof error === 'string' ? error : `http_${answer.status}`,
    typeof description === 'string' ? description : undefined,
  )
}

export async function fetchUserInfo(fetch: Fetch, realm: Realm, accessToken: string): Promise<Body | undefined> {
  if (realm.userinfo_endpoint === undefined) return undefined
  const headers = { authorization: `Bearer ${accessToken}`, ...ACCEPT }
  const answer = await send(fetch, realm.userinfo_endpoint, { method: 'GET', headers })
  if (answer.status >= 500) throw unreachable(realm.userinfo_endpoint, `it answered ${answer.status}`)
  return answer.ok ? await readJson(answer) : undefined
}

export type Body = Record<string, unknown>

/** The answer with its body, so that one which comes in drops ends in time too. */
async function send(fetch: Fetch, url: string, init: ConnectInit): Promise<Response> {
  const limit = new AbortController()
  // Keeps the tool alive while it waits, which a timer of AbortSignal.timeout does not.
  const timer = setTimeout(() => limit.abort(), TIMEOUT_MS)
  try {
    const answer = await fetch(url, { ...init, redirect: 'manual', signal: limit.signal })
    const text = await answer.text()
    const hasBody = ![204, 205, 304].includes(answer.status)
    return new Response(hasBody ? text : null, { status: answer.status, headers: answer.headers })
  } catch (error) {
    throw unreachable(url, limit.signal.aborted ? 'no answer came in time' : reasonOf(error), error)
  } finally {
    clearTimeout(timer)
  }
}

async function readJson(answer: Response): Promise<Body> {
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
