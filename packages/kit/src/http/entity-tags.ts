import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Log } from '../log.ts'
import { isKnownTo, NO_PRECONDITION, readPrecondition, readTags } from './preconditions.ts'
import { digest } from './record-version.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Of the record that is answered. */
    recordVersion: string
  }
}

const WRITES = ['PATCH', 'PUT', 'DELETE']
const isSafe = (method: string) => method === 'GET' || method === 'HEAD'

type Config = NonNullable<RouteOptions['config']>

/** ETags on answers, preconditions on requests, and 304 for what the client has already. */
export function addEntityTags(app: FastifyInstance, log: Log): void {
  app.decorateRequest('precondition', null as never)
  app.decorateReply('recordVersion', '')

  app.addHook('preSerialization', async (request, reply, answer) => {
    const { record, newRecord } = request.routeOptions.config
    const rule = record ?? newRecord
    if (rule && isSuccess(reply) && typeof answer === 'object' && answer !== null) {
      reply.recordVersion = rule.version(answer)
    }
    return answer
  })

  app.addHook('onSend', async (request, reply, payload) => {
    if (!isSuccess(reply)) return payload
    if (request.precondition?.isUnasked()) {
      const { method, routeOptions } = request
      log.error({ requestId: request.id, method, route: routeOptions.url }, 'a precondition was not checked')
    }
    const etag = tagOf(request.routeOptions.config, reply, payload)
    if (etag === undefined) return payload
    reply.header('etag', etag)
    if (!isSafe(request.method) || !isKnownTo(request.headers, etag)) return payload
    reply.code(304).removeHeader('content-type').removeHeader('content-length')
    return null
  })
}

/** Reads what the caller expects, so that a header that cannot be read is refused before anything else is. */
export function expect(request: FastifyRequest): void {
  const { record, revalidates } = request.routeOptions.config
  request.precondition = NO_PRECONDITION
  if (isSafe(request.method)) {
    if (record || revalidates) readTags(request.headers, 'if-none-match')
  } else if (record) request.precondition = readPrecondition(request.headers)
}

/** For an answer whose tag is known before its bytes are: true where the client has it, and nothing is to be sent. */
export function isAnswered(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  reply.header('etag', etag)
  if (!isKnownTo(request.headers, etag)) return false
  reply.code(304)
  return true
}

/** Every change of a record takes If-Match, or its route says why not. */
export function checkDeclared({ method, url, config = {} }: { method: string; url: string; config?: Config }): void {
  if (!WRITES.includes(method) || config.record || config.noPrecondition) return
  throw new Error(`${method} ${url} declares no precondition: give it config.record or config.noPrecondition`)
}

function isSuccess({ statusCode }: FastifyReply): boolean {
  return statusCode >= 200 && statusCode < 300
}

function tagOf({ record, newRecord, revalidates }: Config, reply: FastifyReply, payload: unknown): string | undefined {
  const isRecord = record !== undefined || newRecord !== undefined
  if (!isRecord && !revalidates) return undefined
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return undefined
  if (!isRecord) return `"${digest(payload)}"`
  if (reply.recordVersion === '') return undefined
  // An answer that nobody may store holds a secret: not even what it comes to is told.
  const isSecret = String(reply.getHeader('cache-control') ?? '').includes('no-store')
  return `"${reply.recordVersion}.${isSecret ? '' : digest(payload)}"`
}
