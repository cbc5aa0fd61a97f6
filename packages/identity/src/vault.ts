import { createHmac, timingSafeEqual } from 'node:crypto'
import { createSeal, type Seal } from '@storey/kit/seal'
import { deriveSecret } from '@storey/kit/secrets'

/** Encrypts stored secrets and computes keyed hashes. All keys are derived from the master secret. */
export interface Vault extends Seal {
  /** A keyed hash, to look up secrets of which only this hash is stored, and for proofs such as the CSRF token. */
  hmac(text: string): Buffer
  cookieKey: string
}

export function createVault(masterSecret: string): Vault {
  const hmacKey = deriveSecret(masterSecret, 'identity:mark')
  return {
    ...createSeal(deriveSecret(masterSecret, 'identity:seal')),
    hmac: (text) => createHmac('sha256', hmacKey).update(text).digest(),
    cookieKey: deriveSecret(masterSecret, 'identity:cookies').toString('base64url'),
  }
}

/** Compares in constant time. */
export function sameBytes(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
