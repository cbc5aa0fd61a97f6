import { BASE62, type KeyAction, keyText } from '@storey/contract'
import type { Tx } from '@storey/kit/database'
import { randomText, sha256 } from '@storey/kit/secrets'
import { newKeyId } from '../../ids.ts'
import type { AuditedRequest, KeyEvent, RecordChange } from '../../key-events.ts'
import { insertKey, type KeyRow } from './keys.store.ts'
import { scopeOf } from './scopes.ts'

export type NewKey = Omit<KeyRow, 'id' | 'revokedAt' | 'lastUsedAt'>

/** The actor who changes a key, and the request. */
export interface ChangedBy {
  actor: string
  request: AuditedRequest
}

const DAY_MS = 86_400_000

export const daysAfter = (at: Date, days: number) => new Date(at.getTime() + days * DAY_MS)

/**
 * Creates a key and its audit row. The plaintext is returned and not stored. `keyText` (`contract/src/keys.ts`) defines
 * its form.
 */
export async function issueKey(
  tx: Tx,
  record: RecordChange,
  draft: NewKey,
  by: ChangedBy,
): Promise<{ key: KeyRow; plaintext: string }> {
  const key: KeyRow = { ...draft, id: newKeyId(), revokedAt: null, lastUsedAt: null }
  const plaintext = keyText(randomText(BASE62, 40))
  await insertKey(tx, key, sha256(plaintext))
  await record(tx, changeOf('key.issued', key, by, key.createdAt, 201))
  return { key, plaintext }
}

export function changeOf(
  action: KeyAction,
  key: KeyRow,
  { actor, request }: ChangedBy,
  at: Date,
  status: number,
): KeyEvent {
  const { id, organizationId, expiresAt } = key
  const sent = request.method === null ? null : status
  return {
    ...request,
    at,
    action,
    reason: null,
    organizationId,
    keyId: id,
    actor,
    scope: scopeOf(key),
    expiresAt,
    status: sent,
  }
}
