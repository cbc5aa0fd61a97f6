export interface ProviderEndpoints {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  revocation_endpoint?: string
  end_session_endpoint?: string
}

export interface Tokens {
  accessToken: string
  refreshToken: string | undefined
  idToken: string | undefined
  /** Milliseconds since the epoch, by this browser's clock. */
  expiresAt: number
}

/** The provider answered, and the answer is no. */
export class GrantRefused extends Error {
  readonly code: string
  constructor(code: string, description?: string) {
    super(description ?? code)
    this.code = code
  }
}

export async function discover(issuer: string): Promise<ProviderEndpoints> {
  const answer = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  if (!answer.ok) throw new Error(`the identity provider answered ${answer.status}`)
  const found = (await answer.json()) as ProviderEndpoints
  if (found.issuer !== issuer) throw new Error('the identity provider names another issuer')
  return found
}

/** One call of the token endpoint. */
export async function requestTokens(endpoints: ProviderEndpoints, form: Record<string, string>): Promise<Tokens> {
  const answer = await fetch(endpoints.token_endpoint, { method: 'POST', body: new URLSearchParams(form) })
  const body = (await answer.json().catch(() => ({}))) as Record<string, unknown>
  if (answer.status >= 500) throw new Error(`the identity provider answered ${answer.status}`)
  if (!answer.ok || typeof body.access_token !== 'string') {
    throw new GrantRefused(String(body.error ?? answer.status), body.error_description as string | undefined)
  }
  return {
    accessToken: body.access_token,
    refreshToken: body.refresh_token as string | undefined,
    idToken: body.id_token as string | undefined,
    expiresAt: Date.now() + Number(body.expires_in ?? 60) * 1000,
  }
}

/** RFC 7009. A provider that does not answer lets the token end by itself. */
export async function revoke(endpoints: ProviderEndpoints, clientId: string, token: string): Promise<void> {
  if (endpoints.revocation_endpoint === undefined) return
  const body = new URLSearchParams({ client_id: clientId, token, token_type_hint: 'refresh_token' })
  await fetch(endpoints.revocation_endpoint, { method: 'POST', body, keepalive: true }).catch(() => undefined)
}
