import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { LIMITS } from '@storey/contract'

const PREFIX = 'whsec_'

/** Receivers' libraries expect Base64 after the prefix. 24 bytes need no padding in Base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(24).toString('base64')
}

/** The first characters after the prefix. `masked` shows them instead of the whole secret. */
export function startOf(secret: string): string {
  return secret.slice(PREFIX.length, LIMITS.webhook.secretCharactersShown)
}

export function masked(start: string): string {
  return `${PREFIX}${start}…`
}

/** The keys of a secret. They are kept for many signatures, because creating a key takes as long as a signature. */
export interface SigningKeys {
  /** The whole secret, for signatures of the body. */
  whole: KeyObject
  /** The decoded secret, for signatures of Standard Webhooks. */
  standard: KeyObject
}

export function signingKeys(secret: string): SigningKeys {
  return {
    whole: createSecretKey(secret, 'utf8'),
    standard: createSecretKey(secret.slice(PREFIX.length), 'base64'),
  }
}
