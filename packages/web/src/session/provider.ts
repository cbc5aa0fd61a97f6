import {
  AuthorizationResponseError,
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  clockTolerance,
  customFetch,
  discoveryRequest,
  None,
  OperationProcessingError,
  PARSE_ERROR,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processRefreshTokenResponse,
  ResponseBodyError,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi'

/** The identity provider, and this app as its client. */
export interface Provider {
  server: AuthorizationServer
  client: Client
  options: { [allowInsecureRequests]: boolean }
}

export interface Tokens {
  accessToken: string
  refreshToken: string | undefined
  idToken: string | undefined
  /** Milliseconds since the epoch, by this browser's clock. */
  expiresAt: number
}

/** A sign-in or a token refresh is refused, by the provider or because the provider's response fails a check. */
export class GrantRefused extends Error {
  /** The user cancelled the sign-in, or may not sign in. */
  readonly isDenied: boolean

  constructor(message: string, isDenied = false) {
    super(message)
    this.isDenied = isDenied
  }
}

/**
 * A browser whose clock is up to a day wrong may sign in. The times in the ID token matter little, because the token
 * comes directly from the provider.
 */
const CLOCK_TOLERANCE_S = 86_400

export function providerOf(server: AuthorizationServer, clientId: string): Provider {
  const client = { client_id: clientId, [clockTolerance]: CLOCK_TOLERANCE_S }
  return { server, client, options: insecureOptions(server.issuer) }
}

/** Plain HTTP is allowed if the issuer that the service is configured with has an http address, as on localhost. */
const insecureOptions = (issuer: string) => ({ [allowInsecureRequests]: new URL(issuer).protocol === 'http:' })

export async function discover(issuer: string, clientId: string): Promise<Provider> {
  const response = await discoveryRequest(new URL(issuer), insecureOptions(issuer))
  return providerOf(await processDiscoveryResponse(new URL(issuer), response), clientId)
}

/** The parameters and the URI of the callback, and what this tab stored when it started the sign-in. */
export interface CodeResponse {
  parameters: URLSearchParams
  redirectUri: string
  state: string
  nonce: string
  verifier: string
}

export async function redeemCode({ server, client, options }: Provider, callback: CodeResponse): Promise<Tokens> {
  const { redirectUri, nonce, verifier } = callback
  const parameters = await refuseOnFailure(() =>
    validateAuthResponse(server, client, callback.parameters, callback.state),
  )
  const sent = authorizationCodeGrantRequest(server, client, None(), parameters, redirectUri, verifier, options)
  const response = checkAvailable(await sent)
  return await tokensOf(() => processAuthorizationCodeResponse(server, client, response, { expectedNonce: nonce }))
}

export async function refreshTokens({ server, client, options }: Provider, refreshToken: string): Promise<Tokens> {
  const response = checkAvailable(await refreshTokenGrantRequest(server, client, None(), refreshToken, options))
  const tokens = await tokensOf(() => processRefreshTokenResponse(server, client, response))
  return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken }
}

/** Revokes a refresh token (RFC 7009). If the provider does not answer, the token expires by itself. */
export async function revoke({ server, client, options }: Provider, token: string): Promise<void> {
  if (server.revocation_endpoint === undefined) return
  const revocation = {
    ...options,
    additionalParameters: { token_type_hint: 'refresh_token' },
    // The request must outlive the page.
    [customFetch]: (url: string, init: object) => fetch(url, { ...init, keepalive: true }),
  }
  await revocationRequest(server, client, None(), token, revocation).catch(() => undefined)
}

/** Throws for an outage or a rate limit, which are not refusals. */
function checkAvailable(response: Response): Response {
  if (response.status < 500 && response.status !== 429 && response.status !== 408) return response
  throw new Error(`the identity provider responded with status ${response.status}`)
}

async function tokensOf(process: () => Promise<TokenEndpointResponse>): Promise<Tokens> {
  const body = await refuseOnFailure(process)
  // The service checks tokens by itself, and cannot read an opaque token.
  if (body.access_token.split('.').length !== 3) throw new GrantRefused('the access token is not a JWT')
  return {
    accessToken: body.access_token,
    refreshToken: body.refresh_token,
    idToken: body.id_token,
    expiresAt: Date.now() + (body.expires_in ?? 60) * 1000,
  }
}

/** Turns a failed protocol check into GrantRefused, except for a body that is not JSON: it may have been truncated. */
async function refuseOnFailure<T>(check: () => T | Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof OperationProcessingError && error.code === PARSE_ERROR) throw error
    const isNamed = error instanceof ResponseBodyError || error instanceof AuthorizationResponseError
    if (!isNamed) throw new GrantRefused((error as Error).message)
    throw new GrantRefused(error.error_description ?? error.error, error.error === 'access_denied')
  }
}
