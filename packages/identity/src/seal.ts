import { createHmac, timingSafeEqual } from 'node:crypto'
import { createSeal, type Seal } from '@storey/kit/seal'
import { deriveSecret } from '@storey/kit/secrets'

/** Secrets at rest, and marks that nobody else can make: all from the master secret. */
export interface Vault extends Seal {
  /** A keyed hash, to look a secret up without keeping it. */
  mark(text: string): Buffer
  cookieKey: string
}

export function createVault(masterSecret: string): Vault {
  const markKey = deriveSecret(masterSecret, 'identity:mark')
  return {
    ...createSeal(deriveSecret(masterSecret, 'identity:seal')),
    mark: (text) => createHmac('sha256', markKey).update(text).digest(),
    cookieKey: deriveSecret(masterSecret, 'identity:cookies').toString('base64url'),
  }
}

/** Equal or not, in a time that tells nothing of where they differ. */
export function sameBytes(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
