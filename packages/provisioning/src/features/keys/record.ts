import type { KeyRecord, KeyScope, KeyStatus, MintedKey } from '@storey/contract'
import type { KeyRow } from './keys.store.ts'

/** Keys that are older than scopes have full scope. */
export function scopeOf({ scope }: Pick<KeyRow, 'scope'>): KeyScope {
  return scope ?? 'full'
}

export function statusOf({ revokedAt, expiresAt }: Pick<KeyRow, 'revokedAt' | 'expiresAt'>, now: Date): KeyStatus {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active'
}

export function toRecord(row: KeyRow, now: Date): KeyRecord {
  return { ...fieldsOf(row, now), lastUsedAt: row.lastUsedAt?.toISOString() ?? null }
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
