import { connect } from '#connect'
import { StoreyError } from '../errors.ts'
import { readProblem, sendOnce } from '../http/send-once.ts'
import { withTexts } from '../http/shape.ts'
import type { Connect } from '../transport/connect.ts'
import type { Credential } from './credential.ts'

/**
 * A service account of a sandbox. `issuer` is the realm's address, such as `http://localhost:4000/realms/sandboxes`.
 *
 * @stable
 */
export interface ClientCredentialsOptions {
  issuer: string
  clientId: string
  clientSecret: string
  scope?: string
  /** For providers that need the audience of the token in the request, such as Auth0 and Ory Hydra. */
  audience?: string
  fetch?: Connect
}

interface Metadata {
  token_endpoint: string
  token_endpoint_auth_methods_supported?: string[]
}

/**
 * A token is replaced this long before it expires, or a tenth of its lifetime before, if that is less: a token that is
 * about to expire can expire in transit.
 */
const MARGIN_MS = 10_000

/**
 * The credential of a program: OAuth 2.0 client credentials. The token is cached until shortly before it expires.
 *
 * @stable
 */
export function clientCredentials(options: ClientCredentialsOptions): Credential {
  const { fetch = connect } = options
  let cached: { text: string; until: number } | undefined
  let pending: Promise<string> | undefined
  let metadata: Promise<Metadata> | undefined

  async function discover(): Promise<Metadata> {
    const url = `${options.issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`
    const found = await sendOnce(fetch, url, { method: 'GET', headers: { accept: 'application/json' } }, readJson)
    if (withTexts('token_endpoint')(found)) return found as Metadata
    throw notARealm(options.issuer)
  }

  async function requestToken(): Promise<string> {
    metadata ??= discover()
    const found = await metadata.catch((error) => {
      metadata = undefined
      throw error
    })
    const request = { method: 'POST', ...tokenRequest(options, found) }
    const given = await sendOnce(fetch, found.token_endpoint, request, async (response) => {
      if (!response.ok) throw await refusal(response)
      return await readJson(response)
    })
    if (!withTexts('access_token')(given)) throw notARealm(options.issuer)
    const { access_token: text, expires_in: expiresIn } = given as { access_token: string; expires_in?: unknown }
    const seconds = typeof expiresIn === 'number' ? expiresIn : 60
    cached = { text, until: Date.now() + seconds * 1000 - Math.min(MARGIN_MS, seconds * 100) }
    return text
  }

  function fresh(): Promise<string> {
    pending ??= requestToken().finally(() => {
      pending = undefined
    })
    return pending
  }

  return {
    token: async () => (cached !== undefined && Date.now() < cached.until ? cached.text : await fresh()),
    async renew() {
      cached = undefined
      await fresh()
      return true
    },
  }
}

/** The secret is sent in a header, as RFC 6749 recommends, unless the realm accepts it only in the body. */
function tokenRequest({ clientId, clientSecret, scope, audience }: ClientCredentialsOptions, metadata: Metadata) {
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope === undefined ? {} : { scope }),
    ...(audience === undefined ? {} : { audience }),
  })
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  }
  if (methods.includes('client_secret_basic')) {
    headers.authorization = `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`)}`
  } else {
    form.set('client_id', clientId)
    form.set('client_secret', clientSecret)
  }
  return { headers, body: form.toString() }
}

const formEncoded = (text: string): string => new URLSearchParams({ v: text }).toString().slice(2)

async function readJson(response: Response): Promise<unknown> {
  if (!response.ok) throw new StoreyError(await readProblem(response, 'is the issuer the address of a realm?'))
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function notARealm(issuer: string): StoreyError {
  const detail = `The server at ${issuer} is not an identity provider: is that the address of the realm?`
  return new StoreyError({ type: 'about:blank', title: 'No realm', status: 200, detail, code: 'UNKNOWN' })
}

/** Realms respond with an OAuth error code, and not with a problem. */
async function refusal(response: Response): Promise<StoreyError> {
  const { status } = response
  const body = ((await response.json().catch(() => null)) ?? {}) as { error?: string; error_description?: string }
  const reason = [body.error, body.error_description].filter((text) => typeof text === 'string').join(': ')
  const code = status === 400 || status === 401 ? 'UNAUTHENTICATED' : 'UNKNOWN'
  const detail = `The realm did not issue a token to this client${reason === '' ? '' : `: ${reason}`}`
  return new StoreyError({ type: 'about:blank', title: 'No token', status, detail, code })
}
