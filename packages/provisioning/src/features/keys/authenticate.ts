import { isKeyText, type KeyScope, problems } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Queryable } from '@storey/kit/database'
import { bearerToken } from '@storey/kit/http'
import { sha256 } from '@storey/kit/secrets'
import type { Caller } from '../../caller.ts'
import { findKeyByHash } from './keys.store.ts'

/** What each scope reaches. `publish` has no endpoint yet. */
const REACH: Record<KeyScope, readonly string[]> = { sandbox: ['sandbox'], publish: [], full: ['sandbox', 'full'] }

export function createAuthenticate({ control, clock }: { control: Queryable; clock: Clock }) {
  return async function authenticate(authorization: string | undefined, access: string): Promise<Caller> {
    const token = bearerToken(authorization)
    if (!isKeyText(token)) throw problems.unauthenticated()
    const key = await findKeyByHash(control, sha256(token))
    if (key === undefined) throw problems.unauthenticated()
    if (key.revokedAt !== null) throw problems.keyRevoked()
    if (key.expiresAt !== null && key.expiresAt <= clock.now()) throw problems.keyExpired()
    const scope = key.scope ?? 'full'
    if (!REACH[scope].includes(access)) throw problems.scopeDenied(scope, access)
    return { developerId: key.developerId, organizationId: key.organizationId, scope }
  }
}
