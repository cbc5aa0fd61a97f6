import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Log } from '../log.ts'
import { knownTag, NO_PRECONDITION, readPrecondition, readTags } from './preconditions.ts'
import { digest } from './record-version.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** The version of the returned record. */
    recordVersion: string
  }
}

export const isSafe = (method: string) => method === 'GET' || method === 'HEAD'

type Config = NonNullable<RouteOptions['config']>

/**
 * Adds ETags to responses, and answers 304 if the client has the response already. Handlers check preconditions
 * themselves. If a handler has not checked a precondition, an error is logged.
 */
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
    if (request.precondition?.isUnchecked()) {
      const { method, routeOptions } = request
      log.error({ requestId: request.id, method, route: routeOptions.url }, 'precondition not checked by handler')
    }
    const { config } = request.routeOptions
    if (!config.record && !config.newRecord && !config.revalidates) return payload
    // Both the digest and the connection need bytes, so the text is encoded once for both.
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
    const etag = Buffer.isBuffer(bytes) ? tagOf(config, reply, bytes) : undefined
    if (etag === undefined) return bytes
    const known = isSafe(request.method) ? knownTag(request.headers, etag) : undefined
    setTag(request, reply, known ?? etag)
    if (known === undefined) return bytes
    reply.code(304).removeHeader('content-type').removeHeader('content-length')
    return null
  })
}

/** Parses the precondition headers, so that a malformed one is refused before the body is read. */
export function readPreconditions(request: FastifyRequest): void {
  const { record, revalidates } = request.routeOptions.config
  request.precondition = NO_PRECONDITION
  if (isSafe(request.method)) {
    if (record || revalidates) readTags(request.headers, 'if-none-match')
  } else if (record) request.precondition = readPrecondition(request.headers)
}

/**
 * Sets the tag of a response whose tag is known before its bytes. If the client has the response already, sets the
 * status 304 and returns true; the handler then sends no body.
 */
export function answerIfKnown(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  const known = knownTag(request.headers, etag)
  setTag(request, reply, known ?? etag)
  if (known === undefined) return false
  reply.code(304)
  return true
}

function setTag(request: FastifyRequest, reply: FastifyReply, etag: string): void {
  reply.header('etag', etag)
  // A browser may cache the response, but has to revalidate it each time.
  if (isSafe(request.method) && !reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache')
}

function isSuccess({ statusCode }: FastifyReply): boolean {
  return statusCode >= 200 && statusCode < 300
}

function tagOf({ record, newRecord }: Config, reply: FastifyReply, bytes: Buffer): string | undefined {
  if (!record && !newRecord) return `"${digest(bytes)}"`
  if (reply.recordVersion === '') return undefined
  // Only a route can have set `no-store` by now, and it does so for a response with a secret. The tag of such a
  // response must not contain a digest of the response.
  const isSecret = String(reply.getHeader('cache-control') ?? '').includes('no-store')
  return `"${reply.recordVersion}.${isSecret ? '' : digest(bytes)}"`
}
