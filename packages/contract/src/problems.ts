import Type, { type Static } from 'typebox'
import { formatCount } from './format-count.ts'
import { LIMITS } from './limits.ts'

/** The closed set of problems: a code, its status and its title. Every error response of an API has one of them. */
export const PROBLEMS = {
  VALIDATION_FAILED: [400, 'The request is not valid'],
  VALUE_SCHEMA_INVALID: [400, 'The value schema is not valid'],
  VALUE_TYPE_MISMATCH: [400, 'A value does not have the type of its layer'],
  VALUE_SCHEMA_MISMATCH: [400, 'A value does not match the schema of its layer'],
  VALUE_TYPE_IMMUTABLE: [400, 'The value type of a layer cannot change'],
  TOO_MANY_IDENTIFIERS: [400, 'Too many identifiers in one upload'],
  FILTER_NOT_ALLOWED: [400, 'This filter cannot be used here'],
  LIMIT_TOO_LARGE: [400, 'The limit is above the maximum page size'],
  UNKNOWN_POINTS: [400, 'Some points do not exist in this building'],
  UNKNOWN_BUILDING_TYPE: [400, 'Unknown building type'],
  UNKNOWN_EVENT: [400, 'Unknown event'],
  WEBHOOK_URL_REJECTED: [400, 'The webhook address is not allowed'],
  EXTENSIONS_EXHAUSTED: [400, 'No extensions left'],
  TTL_TOO_LONG: [400, 'The lifetime of the sandbox would be too long'],
  UNAUTHENTICATED: [401, 'A valid credential is required'],
  KEY_EXPIRED: [401, 'The API key has expired'],
  KEY_REVOKED: [401, 'The API key was revoked'],
  SCOPE_DENIED: [403, 'The scope of this credential does not allow this call'],
  PERMISSION_DENIED: [403, 'The caller may not do this'],
  SANDBOX_SUSPENDED: [403, 'The sandbox is suspended'],
  NOT_FOUND: [404, 'Not found'],
  METHOD_NOT_ALLOWED: [405, 'The method is not allowed here'],
  CONFLICT: [409, 'The request conflicts with the current state'],
  PRECONDITION_FAILED: [412, 'The record does not meet the condition of the request'],
  BODY_TOO_LARGE: [413, 'The body is too large'],
  REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
  HEADERS_TOO_LARGE: [431, 'The headers are too large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The media type is not supported'],
  QUOTA_EXCEEDED: [429, 'The quota is used up'],
  RATE_LIMITED: [429, 'Too many requests'],
  INTERNAL: [500, 'Internal error'],
  NOT_READY: [503, 'Temporarily unavailable'],
} as const satisfies Record<string, readonly [status: number, title: string]>

export type ProblemCode = keyof typeof PROBLEMS

export const PROBLEM_MEDIA_TYPE = 'application/problem+json'

export const FieldErrorSchema = Type.Object({
  pointer: Type.String({ description: 'JSON pointer to the field' }),
  in: Type.Enum(['body', 'query', 'path', 'header']),
  line: Type.Optional(
    Type.Integer({ minimum: 1, description: 'The number of the line, for NDJSON and line protocol' }),
  ),
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
    outcome: Type.Optional(
      Type.Literal('unknown', {
        description:
          'With NOT_READY: the request failed after its handling had begun, and may have had its effect. Look before you repeat a request that is not idempotent. Without this member, a request that got NOT_READY had no effect.',
      }),
    ),
  },
  { $id: 'Problem', additionalProperties: true, description: 'RFC 9457 problem details' },
)

export interface ProblemOptions {
  /** Further members of the response, with which a client can decide what to do. */
  members?: Record<string, unknown>
  headers?: Record<string, string>
  /** The actual cause. It is logged, and never sent to a client. */
  cause?: unknown
}

const KEY_TEXT = /svc_[0-9A-Za-z]{20,}/g

/** An error whose text is public: it is the `detail` of the response. */
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

  /** The JSON that is sent. API keys in the text are removed, in case a client used one as a name. */
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

/** A client's input, shortened for a message. */
const quoted = (text: string): string => `"${clipped(text)}"`

function clipped(text: string): string {
  return text.length > QUOTED_LENGTH ? `${text.slice(0, QUOTED_LENGTH)}…` : text
}

/** The maximum number of errors that VALIDATION_FAILED lists. A bulk import has a limit of its own for its rows. */
export const MAX_FIELD_ERRORS = 20

/** One function for each kind of error, so that all errors of a kind have the same members. */
export const problems = {
  validation(all: readonly FieldError[]): Problem {
    const errors = all.slice(0, MAX_FIELD_ERRORS)
    const detail = errors.map((e) => e.detail).join('; ')
    return new Problem('VALIDATION_FAILED', detail, { members: { errors } })
  },
  field(name: string, detail: string): Problem {
    return problems.validation([{ pointer: `/${name}`, in: 'body', detail }])
  },
  /** For a value that is not one of the valid values, which the problem lists. */
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
  /** The record does not meet the condition in the caller's `If-Match` or `If-None-Match` header. */
  preconditionFailed(header: 'If-Match' | 'If-None-Match'): Problem {
    const details = {
      'If-Match': 'The record was changed or deleted since it was read: read it again',
      'If-None-Match': 'The record already exists, or matches the given ETag',
    }
    return new Problem('PRECONDITION_FAILED', details[header], { members: { header } })
  },
  limitTooLarge(limit: number, max: number): Problem {
    return new Problem('LIMIT_TOO_LARGE', `limit is ${limit}, but at most ${max} is allowed`, {
      members: { errors: [{ pointer: '/limit', in: 'query', detail: `limit must be at most ${max}` }] },
    })
  },
  unauthenticated(detail = 'Send a valid credential as Authorization: Bearer <token>', cause?: unknown): Problem {
    return new Problem('UNAUTHENTICATED', detail, { headers: { 'www-authenticate': 'Bearer' }, cause })
  },
  keyExpired(): Problem {
    return new Problem('KEY_EXPIRED', 'This API key has expired: create another', {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    })
  },
  keyRevoked(): Problem {
    return new Problem('KEY_REVOKED', 'This API key was revoked: create another', {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    })
  },
  scopeDenied(scope: string, needed: string): Problem {
    return new Problem('SCOPE_DENIED', `The credential has the scope "${scope}"; this call needs ${needed}`)
  },
  permissionDenied(permission: string): Problem {
    return new Problem('PERMISSION_DENIED', `This call needs the permission ${permission}`)
  },
  /** The operator has suspended the sandbox. No retry helps, so there is no `Retry-After`. */
  sandboxSuspended(reason: string | null): Problem {
    const detail = `The operator has suspended this sandbox${reason === null ? '' : `: ${reason}`}`
    return new Problem('SANDBOX_SUSPENDED', detail)
  },
  notFound(what = 'resource'): Problem {
    return new Problem('NOT_FOUND', `No such ${what}`)
  },
  methodNotAllowed(method: string, allowed: readonly string[]): Problem {
    const allow = allowed.join(', ')
    return new Problem('METHOD_NOT_ALLOWED', `${method} is not allowed here: use ${allow}`, { headers: { allow } })
  },
  conflict(field: string, detail: string): Problem {
    return new Problem('CONFLICT', detail, { members: { field } })
  },
  /** For an invalid state transition of a service request. The problem lists the valid transitions. */
  moveNotAllowed(from: string, to: string, allowed: readonly string[]): Problem {
    const others = allowed.length === 0 ? 'its state is final' : `it can move to ${allowed.join(', ')}`
    const detail = `A service request in the state ${from} cannot move to ${to}: ${others}`
    return new Problem('CONFLICT', detail, { members: { field: 'state', allowed } })
  },
  /** For a conflict with nodes that were changed or removed meanwhile, are in use, or share the value of a field. */
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
    const detail = `The value of ${quoted(key)} does not match valueSchema: it ${reason}`
    return new Problem('VALUE_SCHEMA_MISMATCH', detail, { members: { key } })
  },
  valueTypeImmutable(valueType: string): Problem {
    const detail = `valueType is ${valueType} and cannot change: create another layer`
    return new Problem('VALUE_TYPE_IMMUTABLE', detail, {
      members: { errors: [{ pointer: '/valueType', in: 'body', detail }] },
    })
  },
  /** For a new schema that stored values do not match. */
  valuesBreakSchema(roomIds: readonly string[]): Problem {
    const detail =
      'The stored values of some rooms do not match the new valueSchema: roomIds lists the first of these rooms'
    return new Problem('CONFLICT', detail, { members: { field: 'valueSchema', roomIds } })
  },
  /** `count` is the number of identifiers, or a text if there are too many identifiers to count. */
  tooManyIdentifiers(count: number | string, max: number): Problem {
    return new Problem('TOO_MANY_IDENTIFIERS', `values has ${count} identifiers, but at most ${max} are allowed`, {
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
      detail: `${quoted(name)} is not a known event`,
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
  /** The URL of a webhook is refused. The problem never contains the IP address to which its host name resolved. */
  webhookUrlRejected(reason: string, detail: string) {
    return new Problem('WEBHOOK_URL_REJECTED', detail, {
      members: { reason, errors: [{ pointer: '/url', in: 'body', detail }] },
    })
  },
  tooManyObservations(): Problem {
    const max = formatCount(LIMITS.observation.perRequest)
    return new Problem('BODY_TOO_LARGE', `The body has more than ${max} observations: send them in several requests`)
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
    return new Problem(
      'TTL_TOO_LONG',
      `days would move the expiry beyond ${latest.toISOString()}, ${LIMITS.sandbox.ttlDays.max} days from now`,
      {
        members: {
          errors: [{ pointer: '/days', in: 'body', detail: 'days moves the expiry too far' }],
          latest: latest.toISOString(),
        },
      },
    )
  },
  quotaExceeded(quota: string, limit: number, used: number, detail: string): Problem {
    return new Problem('QUOTA_EXCEEDED', detail, { members: { quota, limit, used } })
  },
  rateLimited(retryAfterSeconds: number): Problem {
    const seconds = retryAfterSeconds === 1 ? 'second' : 'seconds'
    return new Problem('RATE_LIMITED', `Too many requests: try again in ${retryAfterSeconds} ${seconds}`, {
      headers: { 'retry-after': String(retryAfterSeconds) },
    })
  },
  /**
   * The code of the service failed to store an MQTT message. The message is kept, and the operator can send it again.
   */
  deadLetter(deadLetterId: string): Problem {
    const detail = 'The message could not be processed because of an internal error: the operator can send it again'
    return new Problem('INTERNAL', detail, { members: { deadLetterId } })
  },
  /** A removal is in progress. A client that retries and gets a 404 knows that the removal is complete. */
  removing(detail: string, retryAfterSeconds: number): Problem {
    return new Problem('NOT_READY', detail, {
      members: { removing: true },
      headers: { 'retry-after': String(retryAfterSeconds) },
    })
  },
  notReady(detail: string, retryAfterSeconds: number, cause?: unknown): Problem {
    return new Problem('NOT_READY', detail, { headers: { 'retry-after': String(retryAfterSeconds) }, cause })
  },
  /** The request failed while it was handled, and may have had its effect. */
  outcomeUnknown(detail: string, retryAfterSeconds: number, cause?: unknown): Problem {
    return new Problem('NOT_READY', detail, {
      members: { outcome: 'unknown' },
      headers: { 'retry-after': String(retryAfterSeconds) },
      cause,
    })
  },
} as const
