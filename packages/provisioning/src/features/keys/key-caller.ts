import { isKeyText, type KeyDenial, type Problem, problems } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Queryable } from '@storey/kit/database'
import { sha256 } from '@storey/kit/secrets'
import type { Caller } from '../../caller.ts'
import type { KeySeen } from '../../key-events.ts'
import { accountDisabled } from './account-disabled.ts'
import { statusOf } from './key-status.ts'
import { type FoundKey, findKeyByHash } from './keys.store.ts'
import { outOfScope, scopeAllows, scopeOf } from './scopes.ts'

/**
 * The caller who sent an API key. Keys are not cached, so a revocation takes effect at the next request. `onSeen` is
 * called with the result of the check, even when the key is refused. `onCaller` is called for an active key of an
 * enabled account, even when the scope of the key does not allow the access. `KeySeen` lacks the method, route,
 * address and user agent of the request; `auditedRequest` (`key-events.ts`) returns these.
 */
export async function keyCaller(
  { control, clock }: { control: Queryable; clock: Clock },
  text: string,
  access: string,
  { onSeen, onCaller }: { onSeen(seen: KeySeen): void; onCaller(developerId: string): void },
): Promise<Caller> {
  const key = isKeyText(text) ? await findKeyByHash(control, sha256(text)) : undefined
  const at = clock.now()
  if (key === undefined) {
    onSeen({ at, reason: 'unknown', organizationId: null, keyId: null, actor: null, scope: null, expiresAt: null })
    throw problems.unauthenticated()
  }
  const refusal = refusalOf(key, access, at)
  const { id, organizationId, developerId, expiresAt } = key
  const scope = scopeOf(key)
  onSeen({ at, reason: refusal?.reason ?? null, organizationId, keyId: id, actor: id, scope, expiresAt })
  if (statusOf(key, at) === 'active' && key.ownerDisabledAt === null) onCaller(developerId)
  if (refusal) throw refusal.problem
  return { kind: 'key', developerId, organizationId, scope, keyId: id, isPortal: false, actor: id }
}

function refusalOf(key: FoundKey, access: string, at: Date): { reason: KeyDenial; problem: Problem } | undefined {
  const status = statusOf(key, at)
  if (status === 'revoked') return { reason: 'revoked', problem: problems.keyRevoked() }
  if (status === 'expired') return { reason: 'expired', problem: problems.keyExpired() }
  if (key.ownerDisabledAt !== null) {
    return { reason: 'account_disabled', problem: accountDisabled('The account of this key is disabled') }
  }
  const scope = scopeOf(key)
  if (!scopeAllows(scope, access)) return { reason: 'out_of_scope', problem: outOfScope(scope, access) }
  return undefined
}
