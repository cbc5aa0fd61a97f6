import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { deriveSecret } from '@storey/kit/secrets'

/** Secrets at rest, and marks that nobody else can make: all from the master secret. */
export interface Vault {
  /** Encrypts. What is bound to a name opens under that name only, so that rows cannot be swapped. */
  seal(plain: string, name: string): Buffer
  /** Undefined when it was sealed with another secret, under another name, or is damaged. */
  open(sealed: Buffer, name: string): string | undefined
  /** A keyed hash, to look a secret up without keeping it. */
  mark(text: string): Buffer
  cookieKey: string
}

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createVault(masterSecret: string): Vault {
  const key = deriveSecret(masterSecret, 'identity:seal')
  const markKey = deriveSecret(masterSecret, 'identity:mark')
  return {
    seal(plain, name) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(name))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    open(sealed, name) {
      try {
        const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        decipher.setAAD(Buffer.from(name)).setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
        return decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        return undefined
      }
    },
    mark: (text) => createHmac('sha256', markKey).update(text).digest(),
    cookieKey: deriveSecret(masterSecret, 'identity:cookies').toString('base64url'),
  }
}

/** Equal or not, in a time that tells nothing of where they differ. */
export function sameBytes(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
