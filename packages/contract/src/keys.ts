import Type, { type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { Nullable } from './lists.ts'
import { KEY_LABEL } from './text-patterns.ts'
import { Timestamp } from './timestamps.ts'

const { key } = LIMITS

export const KeyScope = Type.Enum(['sandbox', 'publish', 'full'])
export type KeyScope = Static<typeof KeyScope>
/** The scope of a key that is created without one. */
export const DEFAULT_KEY_SCOPE: KeyScope = 'sandbox'
export const KeyStatus = Type.Enum(['active', 'expired', 'revoked'])
export type KeyStatus = Static<typeof KeyStatus>

export const KeyMint = Type.Object(
  {
    label: Type.String({
      minLength: 1,
      maxLength: key.labelLength,
      pattern: KEY_LABEL,
      description: `1 to ${key.labelLength} characters, not only white space, and no control characters`,
    }),
    scope: Type.Optional(Type.Enum(KeyScope.enum, { description: `Default: ${DEFAULT_KEY_SCOPE}` })),
    expiresInDays: Type.Optional(
      Type.Integer({
        minimum: key.expiresInDays.min,
        maximum: key.expiresInDays.max,
        description: `Days until the key expires; default ${key.expiresInDays.default}`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type KeyMint = Static<typeof KeyMint>

const keyFields = {
  keyId: Type.String({ pattern: '^key_' }),
  label: Type.String(),
  scope: KeyScope,
  status: KeyStatus,
  createdAt: Timestamp,
  expiresAt: Nullable(Timestamp),
}

export const KeyRecord = Type.Object({
  ...keyFields,
  lastUsedAt: Nullable(Timestamp),
  isOperatorKey: Type.Boolean({
    description: 'Whether the operator created the key. It then does not count towards the maximum of active keys',
  }),
})
export type KeyRecord = Static<typeof KeyRecord>

export const MintedKey = Type.Object({
  ...keyFields,
  plaintext: Type.String({ description: 'The key itself. Shown only in this response' }),
})
export type MintedKey = Static<typeof MintedKey>

export const KEY_PREFIX = 'svc_'
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_LENGTH = 40
const CHECKSUM_LENGTH = 6
const SHAPE = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`)

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1
  return c
})

/** CRC-32 (ISO 3309) of an ASCII text. */
export function crc32(text: string): number {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) crc = CRC_TABLE[(crc ^ text.charCodeAt(i)) & 0xff]! ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

function checksum(body: string): string {
  let rest = crc32(body)
  let out = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    out = BASE62[rest % 62] + out
    rest = Math.floor(rest / 62)
  }
  return out
}

/** Builds the text of a key from 40 random base62 characters. */
export function keyText(secret: string): string {
  if (secret.length !== SECRET_LENGTH) throw new Error(`a key needs ${SECRET_LENGTH} random characters`)
  const body = KEY_PREFIX + secret
  return body + checksum(body)
}

/** Whether the text has the form and the checksum of a key. Typing errors are found without a database query. */
export function isKeyText(text: string): boolean {
  return SHAPE.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
}
