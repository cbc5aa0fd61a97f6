import { PROBLEM_MEDIA_TYPE, Problem, type ProblemCode, problems } from '@storey/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ExceededLimit, exceededLimit, isOutcomeUnknown, unavailableCode } from '../database/index.ts'
import type { Log } from '../log.ts'
import { announcesBody } from './body-rule.ts'
import { DRAIN_LIMITS, endAfterDrain } from './drain-request.ts'
import { awaitsContinue } from './expect-continue.ts'
import { tookTooLong } from './limit-work.ts'
import { isExpected } from './route-problems.ts'
import { createUnavailableLog } from './unavailable-log.ts'

const RETRY_AFTER_SECONDS = 2

/** The error handler of all apps: turns a thrown error into a problem response. */
export function createAnswerError(log: Log) {
  const logError = createErrorLog(log)
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const { id: requestId } = request
    if (isDisconnect(error, request)) {
      log.debug({ requestId }, 'client disconnected before the response')
      return void reply.hijack()
    }
    const problem = isStalled(error, request) ? stalled() : toProblem(error)
    logError(problem, requestId, routeOf(request))
    sendProblem(problem, request, reply)
  }
}

/** Logged if a route answers with a problem that the API document lacks: the route's config has to list the problem. */
export const UNDOCUMENTED = 'response is not documented in OpenAPI'

/** The route of a request that failed; `answers` are the problems that the API document lists for it. */
interface FailedRoute {
  method: string
  url: string
  answers?: ReadonlySet<ProblemCode> | undefined
}

/** Logs what an operator has to know about a problem response. */
export type ErrorLog = (problem: Problem, requestId: string, route: FailedRoute | undefined) => void

export function createErrorLog(log: Log): ErrorLog {
  const logUnavailable = createUnavailableLog(log)
  const logUndocumented = createUndocumentedLog(log)
  return (problem, requestId, route) => {
    if (problem.code === 'INTERNAL') log.error({ requestId, err: problem.cause }, 'request failed')
    logUnavailable(problem.cause, route && `${route.method} ${route.url}`)
    if (route) logUndocumented(problem, route)
  }
}

function createUndocumentedLog(log: Log) {
  const seen = new Set<string>()
  return ({ code }: Problem, { method, url, answers }: FailedRoute): void => {
    if (answers === undefined || isExpected(code, answers)) return
    const name = `${method} ${url} ${code}`
    if (seen.has(name)) return
    seen.add(name)
    log.warn({ method, route: url, code }, UNDOCUMENTED)
  }
}

const DISCONNECT_CODES = /^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ERR_STREAM_DESTROYED|ABORT_ERR)$/

/** Whether the error only means that the client closed the connection. Nobody waits for a response then. */
function isDisconnect(error: unknown, { raw }: FastifyRequest): boolean {
  // A route may have wrapped the error in a problem.
  const cause = (error instanceof Problem ? error.cause : error) as Partial<FastifyError> | undefined
  return raw.socket?.destroyed === true && DISCONNECT_CODES.test(String(cause?.code))
}

function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): void {
  const body = problem.toJson(request.id)
  // This header is set here too, because no hook runs for a malformed URL.
  reply.header('x-request-id', request.id)
  reply.code(problem.status).headers(problem.headers).type(PROBLEM_MEDIA_TYPE)
  // The framework closes the connection after any body error, even if the body was read completely.
  reply.removeHeader('connection')
  // Compression has set this header if the response was a stream that failed before its first byte.
  reply.removeHeader('content-encoding')
  // A client that waits for 100 Continue will not send its body any more.
  if (isRead(request) || awaitsContinue(request.raw)) return void reply.send(body)
  const limits = DRAIN_LIMITS[request.isKnown ? 'known' : 'unknown']
  reply
    .headers({ connection: 'close', 'content-length': Buffer.byteLength(body) })
    .send(endAfterDrain(request.raw, body, limits))
  // The framework regards the response as sent only when `endAfterDrain` ends it: when the request body has arrived, or
  // the time limit is over.
  // Without `hijack`, a handler that was interrupted could send a second response in the meantime.
  reply.hijack()
}

/** Whether the request was read completely, or has no body. */
export const isRead = ({ raw }: FastifyRequest): boolean => raw.complete || raw.readableEnded || !announcesBody(raw)

const UNAVAILABLE: Record<ExceededLimit | 'other', [detail: string, retryAfterSeconds: number]> = {
  statement: ['The database took too long for this request: try again later, or request less at a time', 5],
  lock: ['Another request is changing the same data: try again', RETRY_AFTER_SECONDS],
  'idle transaction': ['The request was interrupted: try again', RETRY_AFTER_SECONDS],
  other: ['The database is unavailable: try again', RETRY_AFTER_SECONDS],
}

const routeOf = ({ method, routeOptions }: FastifyRequest): FailedRoute | undefined =>
  routeOptions?.url === undefined ? undefined : { method, url: routeOptions.url, answers: routeOptions.config?.answers }

export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const { code, statusCode } = error as Partial<FastifyError>
  const sqlstate = unavailableCode(error)
  if (sqlstate !== undefined) {
    const [detail, retryAfterSeconds] = UNAVAILABLE[exceededLimit(sqlstate) ?? 'other']
    const problem = isOutcomeUnknown(error) ? problems.outcomeUnknown : problems.notReady
    return problem(detail, retryAfterSeconds, error)
  }
  if (code === 'FST_ERR_HANDLER_TIMEOUT') return tookTooLong()
  if (code?.startsWith('FST_') && statusCode !== undefined && statusCode < 500) {
    return problems.validation([{ pointer: '', in: 'path', detail: 'the request is malformed' }])
  }
  return new Problem('INTERNAL', 'Internal error: include the request id when you report it', { cause: error })
}

/** Whether the time limit of the route (`handlerTimeout`) expired while the body was still arriving. */
function isStalled(error: unknown, request: FastifyRequest): boolean {
  return (error as Partial<FastifyError>).code === 'FST_ERR_HANDLER_TIMEOUT' && !isRead(request)
}

const stalled = () => new Problem('REQUEST_TIMEOUT', 'The body did not arrive in time')
