import type { KeyStatus } from '@storey/contract'
import type { KeyRow } from './keys.store.ts'

/** `countActiveKeys` in `keys.store.ts` has the same condition for active keys, in SQL. */
export function statusOf({ revokedAt, expiresAt }: Pick<KeyRow, 'revokedAt' | 'expiresAt'>, now: Date): KeyStatus {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active'
}
