import Type, { type Static } from 'typebox'
import { KeyScope } from './keys.ts'
import { LIMITS } from './limits.ts'
import { Nullable, pageLimit } from './lists.ts'
import { Timestamp } from './timestamps.ts'

const { audit } = LIMITS

const ACTIONS = ['key.issued', 'key.used', 'key.revoked'] as const
export const KeyAction = Type.Enum([...ACTIONS])
export type KeyAction = Static<typeof KeyAction>
export const KeyDenial = Type.Enum(['revoked', 'expired', 'unknown', 'out_of_scope', 'account_disabled'])
export type KeyDenial = Static<typeof KeyDenial>

export const AuditRecord = Type.Object({
  id: Type.Integer({ description: 'The id of the row; later rows have larger ids' }),
  at: Timestamp,
  action: KeyAction,
  outcome: Type.Enum(['allowed', 'denied']),
  reason: Nullable(KeyDenial),
  keyId: Nullable(Type.String()),
  actor: Nullable(
    Type.String({ description: 'The email address of the signed-in developer, the id of the key, or `operator`' }),
  ),
  scope: Nullable(KeyScope),
  expiresAt: Nullable(Timestamp),
  method: Nullable(Type.String()),
  route: Nullable(Type.String({ description: 'The route as documented, without the ids in it' })),
  status: Nullable(
    Type.Integer({
      description:
        'The HTTP status. Null if there was no response: the client disconnected, or it is an action of the operator',
    }),
  ),
  sourceIp: Nullable(Type.String()),
  userAgent: Nullable(
    Type.String({ description: `The first ${audit.userAgentLength} characters of the User-Agent header` }),
  ),
  count: Type.Integer({
    minimum: 1,
    description:
      'Number of actions that the row stands for, usually 1. Repeated denials and repeated requests above the rate ' +
      'limit (same or unknown key, same method, route, status, reason, and IPv4 address or IPv6 network) share rows: ' +
      'the first has its own row, ' +
      'and all that follow within a minute share a second row',
  }),
  firstAt: Type.String({
    format: 'date-time',
    description: 'The time of the first action in the row; `at` is that of the last',
  }),
})
export type AuditRecord = Static<typeof AuditRecord>

export const AuditQuery = Type.Object(
  {
    action: Type.Optional(Type.Enum([...ACTIONS], { description: 'Returns the rows of this action' })),
    keyId: Type.Optional(
      Type.String({ pattern: '^key_[0-9a-z]{1,60}$', description: 'the id of a key, such as key_0a1b2c' }),
    ),
    limit: pageLimit(audit.page),
    before: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Returns the rows that are older than the row with this id',
      }),
    ),
  },
  { additionalProperties: false },
)
export type AuditQuery = Static<typeof AuditQuery>
