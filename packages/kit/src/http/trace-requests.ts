import type { FastifyInstance } from 'fastify'
import { isTracing, runInSpan } from '../tracing/index.ts'
import { CLIENT_CLOSED } from './observe.ts'
import { endRequestSpan, startRequestSpan, tracedPath } from './request-span.ts'

/** Starts a span for each request to an application behind the gateway, as a child of the gateway's span. */
export function traceRequests(app: FastifyInstance): void {
  if (!isTracing()) return
  app.addHook('onRequest', (request, reply, done) => {
    const { method, url: target, headers, id: requestId } = request
    const route = request.is404 ? undefined : request.routeOptions.url
    const attributes = {
      'url.path': tracedPath({ target, part: 'stack', route: route ?? '' }),
      'url.scheme': 'http',
      'storey.request.id': requestId,
      ...(route === undefined ? {} : { 'http.route': route }),
    }
    const name = route === undefined ? method : `${method} ${route}`
    const span = startRequestSpan({ method, target, headers, attributes, name }, 'gateway')
    if (span === undefined) return done()
    const { raw } = reply
    raw.once('close', () => endRequestSpan(span, raw.headersSent ? raw.statusCode : CLIENT_CLOSED))
    runInSpan(span, done)
  })
}
