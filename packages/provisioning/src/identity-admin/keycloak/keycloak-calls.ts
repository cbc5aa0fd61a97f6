import { problems } from '@storey/contract'
import { type Log, silentLog } from '@storey/kit/log'

export interface KeycloakAdminSettings {
  /** The URL of the realm, such as `https://id.example.com/realms/sandboxes`. */
  issuer: string
  /** The URL of the realm's admin REST API, such as `https://id.example.com/admin/realms/sandboxes`. */
  adminUrl: string
  clientId: string
  clientSecret: string
  log?: Log
}

const LIMIT_MS = 10_000
const RETRY_S = 5
/** A token is replaced this long before it expires. */
const MARGIN_MS = 20_000

/** An unsuccessful response of Keycloak. */
export class KeycloakRefusal extends Error {
  readonly status: number
  constructor(status: number, what: string, text: string) {
    super(`${what} answered ${status}: ${text.slice(0, 500)}`)
    this.status = status
  }
}

export interface KeycloakCalls {
  get<T>(path: string): Promise<T>
  /** Returns the id of what was created, if anything was. */
  send(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<string | undefined>
}

/**
 * Calls of Keycloak's admin REST API with a service account. One line is logged when calls begin to fail because
 * Keycloak is unreachable, has an error or refuses the service account, and one when a call succeeds again.
 */
export function createKeycloakCalls(settings: KeycloakAdminSettings): KeycloakCalls {
  const { issuer, adminUrl, clientId, clientSecret, log = silentLog } = settings
  let cached: { token: string; until: number } | undefined
  let isFailing = false

  const unavailable = (err: unknown) => {
    if (!isFailing) log.warn({ err, adminUrl }, 'identity administration unavailable, requests for accounts get 503')
    isFailing = true
    // The cause is left out, because the error handler could take it for an error of the database.
    return problems.notReady('The identity provider cannot be reached, or refuses changes by this service', RETRY_S)
  }

  async function request(url: string, init: RequestInit): Promise<Response> {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(LIMIT_MS), redirect: 'error' })
  }

  async function token(): Promise<string> {
    if (cached !== undefined && Date.now() < cached.until) return cached.token
    const answer = await request(`${issuer.replace(/\/$/, '')}/protocol/openid-connect/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${encode(clientId)}:${encode(clientSecret)}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
    if (!answer.ok) throw new KeycloakRefusal(answer.status, 'the token endpoint', await answer.text())
    const { access_token, expires_in } = (await answer.json()) as { access_token: string; expires_in: number }
    cached = { token: access_token, until: Date.now() + expires_in * 1000 - MARGIN_MS }
    return access_token
  }

  async function call(method: string, path: string, body?: unknown): Promise<Response> {
    const attempt = async () =>
      await request(adminUrl + path, {
        method,
        headers: { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    let answer: Response
    try {
      answer = await attempt()
      if (answer.status === 401) {
        cached = undefined
        answer = await attempt()
      }
    } catch (err) {
      throw unavailable(err)
    }
    if (!answer.ok) {
      const refusal = new KeycloakRefusal(answer.status, `${method} ${path}`, await answer.text())
      const isOurFault = [400, 404, 409].includes(refusal.status)
      throw isOurFault ? refusal : unavailable(refusal)
    }
    if (isFailing) log.info({ adminUrl }, 'identity administration available again')
    isFailing = false
    return answer
  }

  return {
    get: async <T>(path: string) => (await (await call('GET', path)).json()) as T,
    async send(method, path, body) {
      const answer = await call(method, path, body)
      await answer.arrayBuffer()
      return answer.headers.get('location')?.split('/').at(-1)
    },
  }
}

const encode = (text: string): string => encodeURIComponent(text)
