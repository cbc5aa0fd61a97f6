import type { TokenEndpointResponse } from 'oauth4webapi'
import { CliError } from '../errors.ts'
import { isJwt } from '../sandbox-token.ts'
import { type Realm, Refusal } from './realm.ts'
import type { Session } from './session.ts'

/**
 * Creates a session from the tokens of a realm. `before` is the session that these tokens renew: its refresh token is
 * kept if the realm issued no new one.
 */
export function sessionOf(
  { issuer }: Realm,
  clientId: string,
  tokens: TokenEndpointResponse,
  now: number,
  before?: Session,
): Session {
  const refreshToken = tokens.refresh_token ?? before?.refreshToken
  if (refreshToken === undefined) {
    throw new CliError(`The realm ${issuer} issued no refresh token.`, {
      code: 'NO_OFFLINE_ACCESS',
      next: `Ask its operator to allow offline_access for the client ${clientId}.`,
    })
  }
  const expiresAt = now + (tokens.expires_in ?? 60) * 1000
  return { issuer, clientId, accessToken: tokens.access_token, expiresAt, refreshToken }
}

/** Returns the session if its access token is a JWT: the tool takes any other token for an API key. */
export function requireJwt(session: Session): Session {
  if (isJwt(session.accessToken)) return session
  throw new CliError(`The realm ${session.issuer} issued an access token that is not a JWT.`, {
    code: 'NO_JWT',
    next: `Ask its operator for JWT access tokens for the client ${session.clientId}.`,
  })
}

/** Reports why the realm refused a login. */
export function loginRefused(error: unknown): never {
  if (!(error instanceof Refusal)) throw error
  if (error.error === 'access_denied') {
    throw new CliError('The login was denied in the browser.', {
      code: 'LOGIN_DENIED',
      next: 'Run `svc login` again to retry. If you have no account, ask the operator of the service.',
    })
  }
  throw new CliError(`The identity provider refused the login: ${error.message}.`, { code: 'LOGIN_REFUSED' })
}
