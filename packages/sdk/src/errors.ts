import type { ProblemCode } from './wire.ts'

/**
 * A refused field and the reason.
 *
 * @stable
 */
export interface FieldError {
  /** JSON pointer to the field. */
  pointer: string
  in?: 'body' | 'query' | 'path' | 'header'
  detail: string
  [further: string]: unknown
}

/**
 * The body of an error (RFC 9457), with the members that a client needs to act: `validValues`, `pointIds`, `key`,
 * `nodeIds` and others.
 *
 * @stable
 */
export interface ProblemDetails {
  type: string
  title: string
  status: number
  detail: string
  /** UNKNOWN if the response has no code of Storey, for example because a proxy sent it. */
  code: ProblemCode | 'UNKNOWN'
  requestId?: string
  errors?: FieldError[]
  /** `unknown`: the request failed while it was handled, and may have had its effect. */
  outcome?: 'unknown'
  [member: string]: unknown
}

/**
 * The service refused a request or failed. `problem` is the body of the response, or a generic problem if the body is
 * not a problem.
 *
 * @stable
 */
export class StoreyError extends Error {
  override readonly name: string = 'StoreyError'
  readonly problem: ProblemDetails
  readonly status: number
  readonly code: ProblemDetails['code']
  /** The request id, which an operator can find in the log. */
  readonly requestId: string | undefined
  /** The wait that `Retry-After` requests; undefined if the response has no such header. */
  readonly retryAfterSeconds: number | undefined

  constructor(problem: ProblemDetails, options: { retryAfterSeconds?: number | undefined; cause?: unknown } = {}) {
    super(sentence(problem), { cause: options.cause })
    this.problem = problem
    this.status = problem.status
    this.code = problem.code
    this.requestId = problem.requestId
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/**
 * A change was refused because the record does not match `ifMatch`: somebody else has changed the record.
 *
 * @stable
 */
export class PreconditionFailedError extends StoreyError {
  override readonly name: string = 'PreconditionFailedError'
}

/**
 * No complete response came: the address does not resolve, nothing listens there, the connection broke, or the response
 * took too long.
 *
 * @stable
 */
export class UnreachableError extends Error {
  override readonly name: string = 'UnreachableError'
  /** Scheme, host and port of the request. */
  readonly origin: string

  constructor(origin: string, reason: string, options: { cause?: unknown } = {}) {
    super(`${origin} cannot be reached: ${reason}`, options)
    this.origin = origin
  }
}

/** The detail, the fields that it does not mention, the status and the code. */
function sentence({ code, status, detail, errors = [] }: ProblemDetails): string {
  const unnamed = errors.map(({ pointer }) => pointer).filter((pointer) => !detail.includes(lastSegment(pointer)))
  const fields = unnamed.length === 0 ? '' : ` (${[...new Set(unnamed)].join(', ')})`
  return `${detail}${fields} [${status} ${code}]`
}

const lastSegment = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1)
