import Type, { type Static } from 'typebox'
import { QUOTAS, type QuotaName } from './quotas.ts'

/** The closed set of problems: a code, its status and its title. Nothing else is ever answered as an error. */
export const PROBLEMS = {
  VALIDATION_FAILED: [400, 'The request does not fit its schema'],
  VALUE_SCHEMA_INVALID: [400, 'The value schema is not valid'],
  VALUE_TYPE_MISMATCH: [400, 'A value does not have the type of its layer'],
  VALUE_SCHEMA_MISMATCH: [400, 'A value does not fit the schema of its layer'],
  VALUE_TYPE_IMMUTABLE: [400, 'The value type of a layer cannot change'],
  TOO_MANY_IDENTIFIERS: [400, 'Too many identifiers in one upload'],
  FILTER_NOT_ALLOWED: [400, 'This filter cannot be used here'],
  LIMIT_TOO_LARGE: [400, 'The limit is above the largest page'],
  UNKNOWN_POINTS: [400, 'Some points do not exist in this building'],
  UNKNOWN_BUILDING_TYPE: [400, 'There is no such building type'],
  UNKNOWN_EVENT: [400, 'There is no such event to subscribe to'],
  WEBHOOK_URL_REJECTED: [400, 'The webhook address cannot be used'],
  EXTENSIONS_EXHAUSTED: [400, 'No extension is left'],
  TTL_TOO_LONG: [400, 'The sandbox would live too long'],
  UNAUTHENTICATED: [401, 'A valid credential is needed'],
  KEY_EXPIRED: [401, 'The API key has expired'],
  KEY_REVOKED: [401, 'The API key was revoked'],
  SCOPE_DENIED: [403, 'The scope of this credential does not reach that far'],
  PERMISSION_DENIED: [403, 'The caller lacks the permission'],
  NOT_FOUND: [404, 'There is nothing here'],
  METHOD_NOT_ALLOWED: [405, 'The method is not allowed here'],
  CONFLICT: [409, 'The request conflicts with what is there'],
  PRECONDITION_FAILED: [412, 'Somebody else has changed the record'],
  BODY_TOO_LARGE: [413, 'The body is too large'],
  REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
  HEADERS_TOO_LARGE: [431, 'The headers are too large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The media type is not supported'],
  QUOTA_EXCEEDED: [429, 'The quota is used up'],
  RATE_LIMITED: [429, 'Too many requests'],
  INTERNAL: [500, 'Something went wrong on our side'],
  NOT_READY: [503, 'Not ready yet'],
} as const satisfies Record<string, readonly [status: number, title: string]>

export type ProblemCode = keyof typeof PROBLEMS

export const PROBLEM_MEDIA_TYPE = 'application/problem+json'

export const FieldErrorSchema = Type.Object({
  pointer: Type.String({ description: 'JSON pointer to the field' }),
  in: Type.Enum(['body', 'query', 'path', 'header']),
  detail: Type.String(),
})
export type FieldError = Static<typeof FieldErrorSchema>

export const ProblemSchema = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.Enum(Object.keys(PROBLEMS) as ProblemCode[]),
    requestId: Type.String(),
    errors: Type.Optional(Type.Array(FieldErrorSchema)),
  },
  { $id: 'Problem', additionalProperties: true, description: 'RFC 9457 problem details' },
)

export interface ProblemOptions {
  /** Further members of the wire form: what a client needs to act. */
  members?: Record<string, unknown>
  headers?: Record<string, string>
  /** What really happened. It is logged, and never leaves the process. */
  cause?: unknown
}

const KEY_TEXT = /svc_[0-9A-Za-z]{20,}/g

/** A refusal with a public text. Thrown anywhere, turned into the wire form by the one error handler. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly members: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause })
    this.name = 'Problem'
    this.code = code
    this.status = PROBLEMS[code][0]
    this.members = options.members ?? {}
    this.headers = options.headers ?? {}
  }

  /** As it is sent. Whatever a client mistook for a name, the text of a key is not sent back. */
  toJson(requestId: string): string {
    return JSON.stringify(this.toWire(requestId)).replace(KEY_TEXT, 'svc_…')
  }

  toWire(requestId: string): Record<string, unknown> {
    return {
      type: `urn:storey:problem:${this.code.toLowerCase().replaceAll('_', '-')}`,
      title: PROBLEMS[this.code][1],
      status: this.status,
      detail: this.message,
      code: this.code,
      requestId,
      ...this.members,
    }
  }
}

const QUOTED_LENGTH = 80

/** What a client sent, short enough for a sentence. */
const quoted = (text: string): string => `"${clipped(text)}"`

function clipped(text: string): string {
  return text.length > QUOTED_LENGTH ? `${text.slice(0, QUOTED_LENGTH)}…` : text
}

/** One function per way to fail, so that a rule reads as a sentence and its members are the same everywhere. */
export const problems = {
  validation(errors: FieldError[]): Problem {
    const detail = errors.map((e) => e.detail).join('; ')
    return new Problem('VALIDATION_FAILED', detail, { members: { errors } })
  },
  field(name: string, detail: string): Problem {
    return problems.validation([{ pointer: `/${name}`, in: 'body', detail }])
  },
  /** A value outside a closed set, with the set. */
  invalidValue(name: string, detail: string, validValues: readonly string[]): Problem {
    const errors: FieldError[] = [{ pointer: `/${name}`, in: 'body', detail }]
    return new Problem('VALIDATION_FAILED', detail, { members: { errors, validValues } })
  },
  query(name: string, detail: string): Problem {
    return problems.validation([{ pointer: `/${name}`, in: 'query', detail }])
  },
  header(name: string, detail: string): Problem {
    return problems.validation([{ pointer: `/${name}`, in: 'header', detail }])
  },
  /** Somebody else has changed the record since the caller read it. */
  preconditionFailed(header: 'If-Match' | 'If-None-Match'): Problem {
    const details = {
      'If-Match': 'The record has changed since it was read: read it again',
      'If-None-Match': 'There is a record already, with this ETag or with any',
    }
    return new Problem('PRECONDITION_FAILED', details[header], { members: { header } })
  },
  limitTooLarge(limit: number, max: number): Problem {
    return new Problem('LIMIT_TOO_LARGE', `limit is ${limit}, and at most ${max} is allowed`, {
      members: { errors: [{ pointer: '/limit', in: 'query', detail: `limit must be at most ${max}` }] },
    })
  },
  unauthenticated(detail = 'Send a valid credential as Authorization: Bearer <token>', cause?: unknown): Problem {
    return new Problem('UNAUTHENTICATED', detail, { headers: { 'www-authenticate': 'Bearer' }, cause })
  },
  keyExpired(): Problem {
    return new Problem('KEY_EXPIRED', 'This API key has expired: mint another', {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    })
  },
  keyRevoked(): Problem {
    return new Problem('KEY_REVOKED', 'This API key was revoked: mint another', {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    })
  },
  scopeDenied(scope: string, needed: string): Problem {
    return new Problem('SCOPE_DENIED', `The credential's scope is ${scope}; this call needs ${needed}`)
  },
  permissionDenied(permission: string): Problem {
    return new Problem('PERMISSION_DENIED', `This call needs the permission ${permission}`)
  },
  notFound(what = 'resource'): Problem {
    return new Problem('NOT_FOUND', `No such ${what}`)
  },
  methodNotAllowed(method: string, allowed: readonly string[]): Problem {
    const allow = allowed.join(', ')
    return new Problem('METHOD_NOT_ALLOWED', `There is no ${method} here: use ${allow}`, { headers: { allow } })
  },
  conflict(field: string, detail: string): Problem {
    return new Problem('CONFLICT', detail, { members: { field } })
  },
  /** A step that a record in this state cannot take, with those it can. */
  moveNotAllowed(from: string, to: string, allowed: readonly string[]): Problem {
    const others = allowed.length === 0 ? 'nowhere' : `only to ${allowed.join(', ')}`
    const detail = `A request that is ${from} moves ${others}, and not to ${to}`
    return new Problem('CONFLICT', detail, { members: { field: 'state', allowed } })
  },
  /** Nodes that are in the way: changed since, gone, or holding what is asked for. */
  nodeConflict(field: string, detail: string, nodeIds: readonly string[]): Problem {
    return new Problem('CONFLICT', detail, { members: { field, nodeIds } })
  },
  valueSchemaInvalid(reason: string): Problem {
    const detail = `valueSchema ${reason}`
    return new Problem('VALUE_SCHEMA_INVALID', detail, {
      members: { errors: [{ pointer: '/valueSchema', in: 'body', detail }] },
    })
  },
  valueTypeMismatch(key: string, reason: string): Problem {
    return new Problem('VALUE_TYPE_MISMATCH', `The value of ${quoted(key)} ${reason}`, { members: { key } })
  },
  valueSchemaMismatch(key: string, reason: string): Problem {
    const detail = `The value of ${quoted(key)} does not fit valueSchema: it ${reason}`
    return new Problem('VALUE_SCHEMA_MISMATCH', detail, { members: { key } })
  },
  valueTypeImmutable(valueType: string): Problem {
    const detail = `valueType is ${valueType} and cannot change: create another layer`
    return new Problem('VALUE_TYPE_IMMUTABLE', detail, {
      members: { errors: [{ pointer: '/valueType', in: 'body', detail }] },
    })
  },
  /** Stored values that a new schema would make invalid. */
  valuesBreakSchema(roomIds: readonly string[]): Problem {
    const detail = 'Stored values do not fit the new valueSchema: roomIds names the first rooms'
    return new Problem('CONFLICT', detail, { members: { field: 'valueSchema', roomIds } })
  },
  /** The count, or in words that it is beyond counting. */
  tooManyIdentifiers(count: number | string, max: number): Problem {
    return new Problem('TOO_MANY_IDENTIFIERS', `values has ${count} identifiers, and at most ${max} are allowed`, {
      members: { ...(typeof count === 'number' ? { count } : {}), max },
    })
  },
  filterNotAllowed(name: string, reason: string): Problem {
    const detail = `${name} ${reason}`
    return new Problem('FILTER_NOT_ALLOWED', detail, {
      members: { errors: [{ pointer: `/${name}`, in: 'query', detail }] },
    })
  },
  unknownEvents(unknown: readonly { name: string; at: string }[], validValues: readonly string[]): Problem {
    const errors = unknown.map(({ name, at }) => ({
      ...({ pointer: at, in: 'body' } as const),
      detail: `${quoted(name)} is not an event to subscribe to`,
    }))
    return new Problem('UNKNOWN_EVENT', errors.map(({ detail }) => detail).join('; '), {
      members: { errors, validValues },
    })
  },
  unknownBuildingType(pointer: string, slug: string, validValues: readonly string[]) {
    const detail = `${quoted(slug)} is not a type of building`
    return new Problem('UNKNOWN_BUILDING_TYPE', detail, {
      members: { errors: [{ pointer, in: 'body', detail }], validValues },
    })
  },
  /** Never tells which address was found. */
  webhookUrlRejected(reason: string, detail: string) {
    return new Problem('WEBHOOK_URL_REJECTED', detail, {
      members: { reason, errors: [{ pointer: '/url', in: 'body', detail }] },
    })
  },
  unknownPoints(pointIds: readonly string[]): Problem {
    const some = pointIds.slice(0, 5).map(clipped).join(', ')
    const detail = `${pointIds.length === 1 ? 'A point does' : `${pointIds.length} points do`} not exist in this building: ${some}`
    return new Problem('UNKNOWN_POINTS', pointIds.length > 5 ? `${detail} …` : detail, { members: { pointIds } })
  },
  extensionsExhausted(): Problem {
    return new Problem('EXTENSIONS_EXHAUSTED', 'This sandbox has no extension left')
  },
  ttlTooLong(latest: Date): Problem {
    return new Problem('TTL_TOO_LONG', `days would move the expiry beyond ${latest.toISOString()}, 30 days from now`, {
      members: {
        errors: [{ pointer: '/days', in: 'body', detail: 'days moves the expiry too far' }],
        latest: latest.toISOString(),
      },
    })
  },
  /** Of what there is a quota, how large it is, and how much of it is used. */
  quotaExceeded(quota: string, limit: number, used: number, detail: string): Problem {
    return new Problem('QUOTA_EXCEEDED', detail, { members: { quota, limit, used } })
  },
  /** Throws unless one more may come. To be asked where nobody else can add one meanwhile. */
  checkQuota(quota: QuotaName, used: number): void {
    const { limit, of } = QUOTAS[quota]
    if (used < limit) return
    throw problems.quotaExceeded(quota, limit, used, `There are ${used} ${of}, and at most ${limit} are allowed`)
  },
  rateLimited(retryAfterSeconds: number): Problem {
    const seconds = retryAfterSeconds === 1 ? 'second' : 'seconds'
    return new Problem('RATE_LIMITED', `Too many requests: try again in ${retryAfterSeconds} ${seconds}`, {
      headers: { 'retry-after': String(retryAfterSeconds) },
    })
  },
  /** Our own code failed at a message that nobody waits for: it is kept, and can be sent again. */
  deadLetter(deadLetterId: string): Problem {
    const detail = 'The message failed on our side and is kept: the operator can send it again'
    return new Problem('INTERNAL', detail, { members: { deadLetterId } })
  },
  /** A removal that has begun and ends by itself: a client that asks again and finds nothing knows that it is done. */
  removing(detail: string, retryAfterSeconds: number): Problem {
    return new Problem('NOT_READY', detail, {
      members: { removing: true },
      headers: { 'retry-after': String(retryAfterSeconds) },
    })
  },
  notReady(detail: string, retryAfterSeconds: number, cause?: unknown): Problem {
    return new Problem('NOT_READY', detail, { headers: { 'retry-after': String(retryAfterSeconds) }, cause })
  },
} as const
