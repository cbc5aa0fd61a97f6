import { finished, PassThrough } from 'node:stream'
import { PROBLEM_MEDIA_TYPE, Problem, problems } from '@storey/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { notNowCode } from '../database/not-now.ts'
import { createNotNowLog } from './not-now-log.ts'

const NOT_NOW_SECONDS = 2
const logNotNow = createNotNowLog()

/** The one place where a thrown thing becomes an answer. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (isDeparture(error, request)) {
    request.log.debug({ requestId: request.id }, 'client left before the answer')
    return void reply.hijack()
  }
  const problem = isStalled(error, request) ? stalled() : toProblem(error, request)
  if (problem.code === 'INTERNAL') request.log.error({ err: problem.cause }, 'request failed')
  const notNow = notNowCode(problem.cause)
  if (notNow !== undefined) logNotNow(request.log, notNow, problem.cause)
  sendProblem(problem, request, reply)
}

const BROKEN_OFF = /^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ERR_STREAM_DESTROYED|ABORT_ERR)$/

/** The connection was closed by the other side: there is nobody to answer, and nothing is wrong. */
function isDeparture(error: unknown, { raw }: FastifyRequest): boolean {
  return raw.socket?.destroyed === true && BROKEN_OFF.test(String((error as Partial<FastifyError>).code))
}

export function answerNotFound(request: FastifyRequest, reply: FastifyReply): void {
  sendProblem(problems.notFound('route'), request, reply)
}

function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): void {
  const body = problem.toJson(request.id)
  reply.code(problem.status).headers(problem.headers).type(PROBLEM_MEDIA_TYPE)
  if (request.raw.complete) return void reply.send(body)
  // The framework would end the connection by itself.
  reply.removeHeader('connection')
  reply.header('content-length', Buffer.byteLength(body)).send(endingAfter(request, body))
}

/** How long who is refused may go on sending. */
const READ_OUT_MS = 30_000

/**
 * The whole answer at once, and its end when the request has been read out: a connection that ends under a client that
 * still sends is reset, and the answer is lost with it.
 */
function endingAfter({ raw }: FastifyRequest, body: string): PassThrough {
  const answer = new PassThrough()
  answer.write(body)
  const timer = setTimeout(() => answer.end(), READ_OUT_MS)
  timer.unref()
  finished(raw, { writable: false }, () => {
    clearTimeout(timer)
    answer.end()
  })
  raw.resume()
  return answer
}

export function toProblem(error: unknown, request?: FastifyRequest): Problem {
  if (error instanceof Problem) return error
  const { code, statusCode } = error as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Problem('BODY_TOO_LARGE', 'The body is larger than 10 MB')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Problem('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${mediaTypesOf(request).join(' or ')}`)
  }
  if (notNowCode(error)) return problems.notReady('The database cannot do this now: try again', NOT_NOW_SECONDS, error)
  if (code === 'FST_ERR_HANDLER_TIMEOUT') return problems.notReady('The request took too long', 5)
  if (code?.startsWith('FST_') && statusCode !== undefined && statusCode < 500) {
    return problems.validation([{ pointer: '', in: 'path', detail: 'the request is not well formed' }])
  }
  return new Problem('INTERNAL', 'The request failed on our side; its id helps us find out why', { cause: error })
}

/** What a route takes beyond JSON, its schema says. */
function mediaTypesOf(request: FastifyRequest | undefined): string[] {
  const body = request?.routeOptions.schema?.body as { content?: object } | undefined
  return Object.keys(body?.content ?? { 'application/json': {} })
}

/** The time ran out while the body was still on its way. */
function isStalled(error: unknown, request: FastifyRequest): boolean {
  return (error as Partial<FastifyError>).code === 'FST_ERR_HANDLER_TIMEOUT' && !request.raw.complete
}

const stalled = () => new Problem('REQUEST_TIMEOUT', 'The body did not arrive in time')
