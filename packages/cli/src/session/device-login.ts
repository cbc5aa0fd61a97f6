import { UnreachableError } from '@storey/sdk'
import {
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  None,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
  type TokenEndpointResponse,
} from 'oauth4webapi'
import { CliError } from '../errors.ts'
import type { Clock } from '../surroundings.ts'
import { CLIENT, checked, type Fetch, optionsFor, type Realm, Refusal } from './realm.ts'
import type { Session } from './session.ts'

export const SCOPE = 'openid email profile offline_access'
const USUAL_INTERVAL_S = 5
const SLOWER_BY_MS = 5000

/** What a person needs to let the tool in. */
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
    intervalS: body.interval ?? USUAL_INTERVAL_S,
  }
}

/** Asks in the pace that the realm wants, until the person has decided or the code has ended. */
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
        // A network that is away for a moment does not end a login; RFC 8628 asks to slow down.
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
    throw new CliError(`The realm ${realm.issuer} gave no lasting session.`, {
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
    throw new CliError('The login was turned down in the browser.', {
      code: 'LOGIN_DENIED',
      next: 'Run `svc login` again if that was a slip. An account must have been invited by the operator.',
    })
  }
  throw new CliError(`The identity provider refused the login: ${error.message}.`, { code: 'LOGIN_REFUSED' })
}
