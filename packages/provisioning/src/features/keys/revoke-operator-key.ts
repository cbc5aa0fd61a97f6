import { isKeyText, problems } from '@storey/contract'
import type { Tx } from '@storey/kit/database'
import { sha256 } from '@storey/kit/secrets'
import { NO_REQUEST } from '../../key-events.ts'
import { type KeyRow, lockKeyByHash, lockKeysByPrefix, setRevoked } from './keys.store.ts'
import type { KeyDeps } from './mint-key.ts'
import { changeOf } from './new-key.ts'

const MIN_PREFIX = 'key_'.length + 4

/**
 * Revokes a key for the operator: by its id, by the beginning of its id if no other id begins with it, or by the key
 * itself, such as one that was found in a public place. `record` runs in the same transaction.
 */
export async function revokeKeyByOperator(
  { control, clock, recordChange }: KeyDeps,
  name: string,
  record: (tx: Tx, key: KeyRow) => Promise<void>,
): Promise<{ key: KeyRow; isChanged: boolean }> {
  return await control.transaction(async (tx) => {
    const key = await lockNamed(tx, name)
    if (key.revokedAt !== null) return { key, isChanged: false }
    const now = clock.now()
    await setRevoked(tx, key.id, now)
    await recordChange(tx, changeOf('key.revoked', key, { actor: 'operator', request: NO_REQUEST }, now, 204))
    await record(tx, key)
    return { key, isChanged: true }
  })
}

async function lockNamed(tx: Tx, name: string): Promise<KeyRow> {
  if (isKeyText(name)) {
    const key = await lockKeyByHash(tx, sha256(name))
    // The message does not contain the text of the key.
    if (!key) throw problems.notFound('key: this is not a key of this installation')
    return key
  }
  if (!/^key_[0-9a-z]*$/.test(name))
    throw problems.notFound('key: give its id, which starts with key_, or the key itself')
  const [key, other] = await lockKeysByPrefix(tx, name)
  if (!key) throw problems.notFound(`key: ${name}`)
  if (key.id === name) return key
  if (name.length < MIN_PREFIX)
    throw problems.conflict('key', `${name} is too short: give at least ${MIN_PREFIX} characters`)
  if (other) throw problems.conflict('key', `Several keys start with ${name}: give more of the id`)
  return key
}
