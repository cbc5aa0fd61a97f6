import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SHOWN = 8

/** Base64 after the prefix, as receivers' libraries expect it; 24 bytes need no padding. */
export function newSecret(): string {
  return PREFIX + randomBytes(24).toString('base64')
}

/** What reads show of it, behind the prefix. */
export function startOf(secret: string): string {
  return secret.slice(PREFIX.length, SHOWN)
}

export function masked(start: string): string {
  return `${PREFIX}${start}…`
}

/** What Standard Webhooks signs with. Bare bytes would cost six times as much at each signature. */
export function keyOf(secret: string): KeyObject {
  return createSecretKey(secret.slice(PREFIX.length), 'base64')
}
