import Type, { type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { Nullable, pageLimit, Timestamp } from './lists.ts'
import { KEY_LABEL } from './text-patterns.ts'

const { key, audit } = LIMITS

export const KeyScope = Type.Enum(['sandbox', 'publish', 'full'])
export type KeyScope = Static<typeof KeyScope>
export const KeyStatus = Type.Enum(['active', 'expired', 'revoked'])
export type KeyStatus = Static<typeof KeyStatus>

export const KeyMint = Type.Object(
  {
    label: Type.String({
      minLength: 1,
      maxLength: key.labelLength,
      pattern: KEY_LABEL,
      description: `1 to ${key.labelLength} characters, not all blank, and no control characters`,
    }),
    scope: Type.Optional(KeyScope),
    expiresInDays: Type.Optional(
      Type.Integer({
        minimum: key.expiresInDays.min,
        maximum: key.expiresInDays.max,
        description: `Days until it expires; default ${key.expiresInDays.default}`,
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

export const KeyRecord = Type.Object({ ...keyFields, lastUsedAt: Nullable(Timestamp) })
export type KeyRecord = Static<typeof KeyRecord>

export const MintedKey = Type.Object({
  ...keyFields,
  plaintext: Type.String({ description: 'The key itself, shown only once' }),
})
export type MintedKey = Static<typeof MintedKey>

export const KeyAction = Type.Enum(['key.issued', 'key.used', 'key.revoked'])
export type KeyAction = Static<typeof KeyAction>
export const KeyDenial = Type.Enum(['revoked', 'expired', 'unknown', 'out_of_scope'])
export type KeyDenial = Static<typeof KeyDenial>

export const AuditRecord = Type.Object({
  id: Type.Integer({ description: 'Later rows have larger ids' }),
  at: Timestamp,
  action: KeyAction,
  outcome: Type.Enum(['allowed', 'denied']),
  reason: Nullable(KeyDenial),
  keyId: Nullable(Type.String()),
  actor: Nullable(Type.String({ description: 'The email of a session, the id of a key, or operator' })),
  scope: Nullable(KeyScope),
  expiresAt: Nullable(Timestamp),
  method: Nullable(Type.String()),
  route: Nullable(Type.String({ description: 'The route as documented, without the ids in it' })),
  status: Nullable(Type.Integer({ description: 'The HTTP status sent; null if the client disconnected before' })),
  sourceIp: Nullable(Type.String()),
  userAgent: Nullable(Type.String({ description: `The first ${audit.userAgentLength} characters` })),
  count: Type.Integer({
    minimum: 1,
    description:
      'How many denials the row stands for. Identical denials within a minute (same or unknown key, same route, status, reason and address) are one row',
  }),
  firstAt: Type.String({ format: 'date-time', description: 'The first of them; `at` is the last' }),
})
export type AuditRecord = Static<typeof AuditRecord>

export const AuditQuery = Type.Object(
  {
    action: Type.Optional(KeyAction),
    keyId: Type.Optional(
      Type.String({ pattern: '^key_[0-9a-z]{1,60}$', description: 'the id of a key, such as key_0a1b2c' }),
    ),
    limit: pageLimit(audit.page),
    before: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Rows older than the row with this id',
      }),
    ),
  },
  { additionalProperties: false },
)
export type AuditQuery = Static<typeof AuditQuery>

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

/** A key's text from 40 random base62 characters. */
export function keyText(secret: string): string {
  if (secret.length !== SECRET_LENGTH) throw new Error(`a key needs ${SECRET_LENGTH} random characters`)
  const body = KEY_PREFIX + secret
  return body + checksum(body)
}

/** False for a typing error or an invented key, without a database query. */
export function isKeyText(text: string): boolean {
  return SHAPE.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
}
