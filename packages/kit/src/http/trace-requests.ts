import type { FastifyInstance } from 'fastify'
import { isTracing, runInSpan } from '../tracing/index.ts'
import { endRequestSpan, startRequestSpan } from './request-span.ts'

/** Gives each request of an application behind the gateway a span, as a child of the gateway's. */
export function traceRequests(app: FastifyInstance): void {
  if (!isTracing()) return
  app.addHook('onRequest', (request, reply, done) => {
    const { method, url: target, headers, id: requestId } = request
    const route = request.is404 ? undefined : request.routeOptions.url
    const span = startRequestSpan({ method, target, headers, scheme: 'http', route, requestId }, 'gateway')
    if (span === undefined) return done()
    reply.raw.once('close', () => endRequestSpan(span, reply.raw.statusCode))
    runInSpan(span, done)
  })
}
