import { createHash, createPrivateKey, hkdfSync, type KeyObject, randomInt } from 'node:crypto'

/** Derives a secret of an installation from the master secret, so the derived secret need not be stored. */
export function deriveSecret(master: string, purpose: string, bytes = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', `storey:${purpose}`, bytes))
}

/** A password that is safe in a connection string. */
export function derivePassword(master: string, purpose: string): string {
  return deriveSecret(master, `password:${purpose}`, 24).toString('hex')
}

/** The PKCS #8 prefix of an Ed25519 seed (RFC 8410). */
const ED25519_PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

export function deriveSigningKey(master: string, purpose: string): KeyObject {
  const seed = deriveSecret(master, `ed25519:${purpose}`, 32)
  return createPrivateKey({ key: Buffer.concat([ED25519_PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' })
}

export function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
