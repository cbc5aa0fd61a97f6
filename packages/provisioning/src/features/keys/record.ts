import type { KeyRecord, MintedKey } from '@storey/contract'
import { statusOf } from './key-status.ts'
import type { KeyRow } from './keys.store.ts'
import { scopeOf } from './scopes.ts'

export function toRecord(row: KeyRow, now: Date): KeyRecord {
  return { ...fieldsOf(row, now), lastUsedAt: row.lastUsedAt?.toISOString() ?? null, isOperatorKey: row.operatorMinted }
}

export function toMinted(row: KeyRow, plaintext: string, now: Date): MintedKey {
  return { ...fieldsOf(row, now), plaintext }
}

function fieldsOf(row: KeyRow, now: Date) {
  return {
    keyId: row.id,
    label: row.label,
    scope: scopeOf(row),
    status: statusOf(row, now),
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
  }
}
