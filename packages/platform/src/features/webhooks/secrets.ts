import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SHOWN = 8

/** Base64 after the prefix, as receivers' libraries expect it; 24 bytes need no padding. */
export function newSecret(): string {
  return PREFIX + randomBytes(24).toString('base64')
}

export function masked(secret: string): string {
  return `${secret.slice(0, SHOWN)}…`
}

/** What Standard Webhooks signs with. Bare bytes would cost six times as much at each signature. */
export function keyOf(secret: string): KeyObject {
  return createSecretKey(secret.slice(PREFIX.length), 'base64')
}
