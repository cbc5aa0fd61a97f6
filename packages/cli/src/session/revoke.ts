import { None, processRevocationResponse, revocationRequest } from 'oauth4webapi'
import { checked, clientOf, discoverRealm, type Fetch, optionsFor } from './realm.ts'
import type { Session } from './session.ts'

/** Revokes the refresh token (RFC 7009). Returns false if that failed. Does not change the store of sessions. */
export async function revoke(fetch: Fetch, { issuer, clientId, refreshToken }: Session): Promise<boolean> {
  try {
    const realm = await discoverRealm(fetch, issuer)
    const hint = { additionalParameters: { token_type_hint: 'refresh_token' } }
    const options = { ...optionsFor(fetch, issuer), ...hint }
    const response = revocationRequest(realm, clientOf(clientId), None(), refreshToken, options)
    await checked(realm, response, processRevocationResponse)
    return true
  } catch {
    return false
  }
}

/**
 * Whether revoking the previous session could end the new session too. Keycloak revokes all offline sessions of a user
 * and a client; the embedded realm revokes only one session.
 */
export function mayEndTogether(session: Session, previous: Session, service: string): boolean {
  return session.issuer === previous.issuer && !session.issuer.startsWith(`${service}/realms/`)
}
