import { problems } from '@storey/contract'
import { digestVersion, type Precondition } from '@storey/kit/http'
import type { Caller } from '../../caller.ts'
import type { AuditedRequest } from '../../key-events.ts'
import { type KeyRow, lockKey, setRevoked } from './keys.store.ts'
import type { KeyDeps } from './mint-key.ts'
import { changeOf } from './new-key.ts'

/** The version changes when the key is revoked, and not when it is used. */
export const versionOfKey = ({ id, revokedAt }: Pick<KeyRow, 'id' | 'revokedAt'>) => digestVersion(id, revokedAt)

/** Revokes a key. Revoking it again changes nothing and writes no audit row. */
export async function revokeKey(
  { control, clock, recordChange }: KeyDeps,
  { organizationId, actor }: Caller,
  keyId: string,
  request: AuditedRequest,
  precondition: Precondition,
): Promise<void> {
  if (!/^key_[0-9a-z]+$/.test(keyId)) throw problems.notFound('key')
  await control.transaction(async (tx) => {
    const key = await lockKey(tx, keyId, organizationId)
    if (!key) throw problems.notFound('key')
    precondition.check(versionOfKey(key))
    if (key.revokedAt !== null) return
    const now = clock.now()
    await setRevoked(tx, keyId, now)
    await recordChange(tx, changeOf('key.revoked', key, { actor, request }, now, 204))
  })
}
