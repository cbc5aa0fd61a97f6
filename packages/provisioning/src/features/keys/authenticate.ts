import { KEY_PREFIX, PORTAL_CLIENT_ID, problems } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Queryable } from '@storey/kit/database'
import { bearerToken } from '@storey/kit/http'
import type { TokenVerifier } from '@storey/kit/tokens'
import type { Caller } from '../../caller.ts'
import type { KeySeen } from '../../key-events.ts'
import { keyCaller } from './key-caller.ts'
import { checkSession } from './scopes.ts'
import { sessionCaller } from './session-caller.ts'

export interface AuthenticateOptions {
  control: Queryable
  clock: Clock
  /** The verifier of the developers realm; undefined: only API keys are accepted. */
  developers: TokenVerifier | undefined
  /** The client whose tokens are portal sessions. */
  portalClientId?: string | undefined
}

/**
 * Authenticates a caller by API key or by access token of the developers realm. `onCaller` is called with the id of the
 * developer before the access is checked: for an active key of an enabled account, and for every token that the realm
 * has signed, even if it is revoked or its account is disabled. `key-caller.ts` reads the key from the database at
 * every request and decides whether the key is accepted.
 */
export function createAuthenticate({ control, clock, developers, ...options }: AuthenticateOptions) {
  const portalClientId = options.portalClientId ?? PORTAL_CLIENT_ID
  return async function authenticate(
    authorization: string | undefined,
    access: string,
    onKeySeen: (seen: KeySeen) => void,
    onCaller: (developerId: string) => void,
  ): Promise<Caller> {
    const credential = bearerToken(authorization)
    if (credential.startsWith(KEY_PREFIX))
      return await keyCaller({ control, clock }, credential, access, { onSeen: onKeySeen, onCaller })
    if (!developers) throw problems.unauthenticated()
    const claims = await developers.verify(credential)
    const caller = await sessionCaller(control, clock, portalClientId, claims, onCaller)
    checkSession(caller.isPortal, access)
    return caller
  }
}
