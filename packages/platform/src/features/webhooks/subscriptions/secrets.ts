import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { LIMITS } from '@storey/contract'

const PREFIX = 'whsec_'

/** Base64 after the prefix, as receivers' libraries expect it; 24 bytes need no padding. */
export function newSecret(): string {
  return PREFIX + randomBytes(24).toString('base64')
}

/** The characters after the prefix that responses show. */
export function startOf(secret: string): string {
  return secret.slice(PREFIX.length, LIMITS.webhook.secretCharactersShown)
}

export function masked(start: string): string {
  return `${PREFIX}${start}…`
}

/** The key of Standard Webhooks signatures. A KeyObject signs six times as fast as raw bytes. */
export function keyOf(secret: string): KeyObject {
  return createSecretKey(secret.slice(PREFIX.length), 'base64')
}
