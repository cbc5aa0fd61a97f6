import { randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SHOWN = 8

/** Base64 after the prefix, as receivers' libraries expect it; 24 bytes need no padding. */
export function newSecret(): string {
  return PREFIX + randomBytes(24).toString('base64')
}

export function masked(secret: string): string {
  return `${secret.slice(0, SHOWN)}…`
}

/** The bytes that Standard Webhooks signs with. */
export function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64')
}
