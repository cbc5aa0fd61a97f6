import { UnreachableError } from '@storey/sdk'
import {
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  None,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
} from 'oauth4webapi'
import type { Clock } from '../environment.ts'
import { CliError } from '../errors.ts'
import { loginRefused, requireJwt, sessionOf } from './new-session.ts'
import { checked, clientOf, type Fetch, optionsFor, type Realm, Refusal } from './realm.ts'
import type { Session } from './session.ts'
import { requestedBy, type SignIn } from './sign-in.ts'

const DEFAULT_INTERVAL_S = 5
const SLOWER_BY_MS = 5000

/** A started device login: what the user needs to authorize the tool, and the code with which the tool polls. */
export interface DeviceCode {
  deviceCode: string
  userCode: string
  verificationUri: string
  verificationUriComplete: string | undefined
  expiresInS: number
  intervalS: number
}

export async function startDeviceLogin(fetch: Fetch, realm: Realm, signIn: SignIn): Promise<DeviceCode> {
  const client = clientOf(signIn.clientId)
  const options = optionsFor(fetch, realm.issuer)
  const response = deviceAuthorizationRequest(realm, client, None(), requestedBy(signIn), options)
  const read = (answer: Response) => processDeviceAuthorizationResponse(realm, client, answer)
  const body = await checked(realm, response, read).catch(loginRefused)
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
export async function awaitApproval(
  fetch: Fetch,
  realm: Realm,
  clientId: string,
  code: DeviceCode,
  clock: Clock,
): Promise<Session> {
  const client = clientOf(clientId)
  const deadline = clock.now() + code.expiresInS * 1000
  let pauseMs = code.intervalS * 1000
  while (clock.now() + pauseMs <= deadline) {
    await clock.sleep(pauseMs)
    try {
      const response = deviceCodeGrantRequest(realm, client, None(), code.deviceCode, optionsFor(fetch, realm.issuer))
      const tokens = await checked(realm, response, (answer) => processDeviceCodeResponse(realm, client, answer))
      return requireJwt(sessionOf(realm, clientId, tokens, clock.now()))
    } catch (error) {
      if (error instanceof Refusal) {
        if (error.error === 'slow_down') pauseMs += SLOWER_BY_MS
        else if (error.error === 'expired_token') break
        else if (error.error !== 'authorization_pending') loginRefused(error)
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
