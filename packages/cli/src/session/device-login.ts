import { UnreachableError } from '@storey/sdk'
import { CliError } from '../errors.ts'
import type { Clock } from '../surroundings.ts'
import { type Body, type Fetch, OAuthError, postForm, type Realm } from './realm.ts'
import type { Session } from './session.ts'

export const SCOPE = 'openid email profile offline_access'
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
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
  const body = await postForm(fetch, realm.device_authorization_endpoint, { scope: SCOPE }).catch(refused)
  return {
    deviceCode: String(body.device_code),
    userCode: String(body.user_code),
    verificationUri: String(body.verification_uri),
    verificationUriComplete:
      body.verification_uri_complete === undefined ? undefined : String(body.verification_uri_complete),
    expiresInS: Number(body.expires_in),
    intervalS: Number(body.interval ?? USUAL_INTERVAL_S),
  }
}

/** Asks in the pace that the realm wants, until the person has decided or the code has ended. */
export async function awaitApproval(fetch: Fetch, realm: Realm, code: DeviceCode, clock: Clock): Promise<Session> {
  const deadline = clock.now() + code.expiresInS * 1000
  let pauseMs = code.intervalS * 1000
  while (clock.now() + pauseMs <= deadline) {
    await clock.sleep(pauseMs)
    try {
      const fields = { grant_type: DEVICE_GRANT, device_code: code.deviceCode }
      return sessionOf(realm, await postForm(fetch, realm.token_endpoint, fields), clock.now())
    } catch (error) {
      if (error instanceof OAuthError) {
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

export function sessionOf(realm: Realm, body: Body, now: number, before?: Session): Session {
  const refreshToken = body.refresh_token ?? before?.refreshToken
  if (typeof body.access_token !== 'string' || typeof refreshToken !== 'string') {
    throw new CliError(`The realm ${realm.issuer} gave no lasting session.`, {
      code: 'NO_OFFLINE_ACCESS',
      next: 'Ask its operator to allow offline_access for the client svc-cli.',
    })
  }
  const expiresAt = now + Number(body.expires_in ?? 60) * 1000
  return { issuer: realm.issuer, accessToken: body.access_token, expiresAt, refreshToken }
}

function refused(error: unknown): never {
  if (!(error instanceof OAuthError)) throw error
  if (error.error === 'access_denied') {
    throw new CliError('The login was turned down in the browser.', {
      code: 'LOGIN_DENIED',
      next: 'Run `svc login` again if that was a slip. An account must have been invited by the operator.',
    })
  }
  throw new CliError(`The identity provider refused the login: ${error.message}.`, { code: 'LOGIN_REFUSED' })
}
