import { problems } from '@storey/contract'
import type { Caller } from '../../caller.ts'
import type { Via } from '../../key-events.ts'
import { lockKey, setRevoked } from './keys.store.ts'
import type { KeyDeps } from './mint-key.ts'
import { changeOf } from './new-key.ts'

/** Ends a key. Once more changes nothing, and leaves no row. */
export async function revokeKey(
  { control, clock, recordChange }: KeyDeps,
  { organizationId, actor }: Caller,
  keyId: string,
  via: Via,
): Promise<void> {
  if (!/^key_[0-9a-z]+$/.test(keyId)) throw problems.notFound('key')
  await control.transaction(async (tx) => {
    const key = await lockKey(tx, keyId, organizationId)
    if (!key) throw problems.notFound('key')
    if (key.revokedAt !== null) return
    const now = clock.now()
    await setRevoked(tx, keyId, now)
    await recordChange(tx, changeOf('key.revoked', key, { actor, via }, now, 204))
  })
}
