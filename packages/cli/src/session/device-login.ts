import { UnreachableError } from '@storey/sdk'
import {
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  None,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
  type TokenEndpointResponse,
} from 'oauth4webapi'
import type { Clock } from '../environment.ts'
import { CliError } from '../errors.ts'
import { CLIENT, checked, type Fetch, optionsFor, type Realm, Refusal } from './realm.ts'
import type { Session } from './session.ts'

export const SCOPE = 'openid email profile offline_access'
const DEFAULT_INTERVAL_S = 5
const SLOWER_BY_MS = 5000

/** What the user needs to authorize the tool. */
export interface DeviceCode {
  deviceCode: string
  userCode: string
  verificationUri: string
  verificationUriComplete: string | undefined
  expiresInS: number
  intervalS: number
}

export async function startDeviceLogin(fetch: Fetch, realm: Realm): Promise<DeviceCode> {
  if (realm.device_authorization_endpoint === undefined) {
    throw new CliError(`The realm ${realm.issuer} has no device login.`, {
      code: 'NO_DEVICE_LOGIN',
      next: 'Ask its operator to allow the device authorization grant for the client svc-cli.',
    })
  }
  const asked = deviceAuthorizationRequest(realm, CLIENT, None(), { scope: SCOPE }, optionsFor(fetch, realm.issuer))
  const read = (answer: Response) => processDeviceAuthorizationResponse(realm, CLIENT, answer)
  const body = await checked(realm, asked, read).catch(refused)
  return {
    deviceCode: body.device_code,
    userCode: body.user_code,
    verificationUri: body.verification_uri,
    verificationUriComplete: body.verification_uri_complete,
    expiresInS: body.expires_in,
    intervalS: body.interval ?? DEFAULT_INTERVAL_S,
  }
}

/** Polls at the realm's interval until the user has decided or the code has expired. */
export async function awaitApproval(fetch: Fetch, realm: Realm, code: DeviceCode, clock: Clock): Promise<Session> {
  const deadline = clock.now() + code.expiresInS * 1000
  let pauseMs = code.intervalS * 1000
  while (clock.now() + pauseMs <= deadline) {
    await clock.sleep(pauseMs)
    try {
      const asked = deviceCodeGrantRequest(realm, CLIENT, None(), code.deviceCode, optionsFor(fetch, realm.issuer))
      const tokens = await checked(realm, asked, (answer) => processDeviceCodeResponse(realm, CLIENT, answer))
      return sessionOf(realm, tokens, clock.now())
    } catch (error) {
      if (error instanceof Refusal) {
        if (error.error === 'slow_down') pauseMs += SLOWER_BY_MS
        else if (error.error === 'expired_token') break
        else if (error.error !== 'authorization_pending') refused(error)
      } else if (error instanceof UnreachableError) {
        // A short network failure does not end a login; RFC 8628 requires a longer interval then.
        pauseMs = Math.min(pauseMs * 2, 60_000)
      } else throw error
    }
  }
  throw new CliError('The code was not confirmed in time.', {
    code: 'LOGIN_EXPIRED',
    next: 'Run `svc login` again, and confirm the code in the browser.',
  })
}

export function sessionOf(realm: Realm, tokens: TokenEndpointResponse, now: number, before?: Session): Session {
  const refreshToken = tokens.refresh_token ?? before?.refreshToken
  if (refreshToken === undefined) {
    throw new CliError(`The realm ${realm.issuer} issued no refresh token.`, {
      code: 'NO_OFFLINE_ACCESS',
      next: 'Ask its operator to allow offline_access for the client svc-cli.',
    })
  }
  const expiresAt = now + (tokens.expires_in ?? 60) * 1000
  return { issuer: realm.issuer, accessToken: tokens.access_token, expiresAt, refreshToken }
}

function refused(error: unknown): never {
  if (!(error instanceof Refusal)) throw error
  if (error.error === 'access_denied') {
    throw new CliError('The login was denied in the browser.', {
      code: 'LOGIN_DENIED',
      next: 'Run `svc login` again to retry. Accounts are invited by the operator.',
    })
  }
  throw new CliError(`The identity provider refused the login: ${error.message}.`, { code: 'LOGIN_REFUSED' })
}
