import type { IncomingMessage, ServerResponse } from 'node:http'

export interface CorsOptions {
  /** Origins in the form of the Origin header. */
  origins: readonly string[]
  /** Whether pages of `localhost` and loopback addresses are allowed too, on any port. */
  allowLoopback: boolean
}

export interface Cors {
  /** Answers a preflight; false when the request is not a preflight. */
  answerPreflight(request: IncomingMessage, response: ServerResponse): boolean
  /** Lets a page of an allowed origin read the response. */
  allowRead(request: IncomingMessage, response: ServerResponse): void
}

const LOOPBACK = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const REQUEST_HEADERS = 'Authorization, Content-Type, Content-Encoding, If-Match, If-None-Match, Idempotency-Key'
/** Response headers that a page may read in addition to those that browsers always expose. */
const RESPONSE_HEADERS =
  'ETag, Location, Retry-After, X-Request-Id, RateLimit, RateLimit-Policy, WWW-Authenticate, Content-Disposition'
const MAX_AGE_S = '600'

/**
 * Cross-origin access to the API of a sandbox. A page sends its token in a header; cookies are never allowed. A
 * preflight is answered here, so it wakes no stack.
 */
export function createCors({ origins, allowLoopback }: CorsOptions): Cors {
  const allowed = new Set(origins)
  const isAllowed = (origin: string) => allowed.has(origin) || (allowLoopback && LOOPBACK.test(origin))

  function allowRead({ headers: { origin } }: IncomingMessage, response: ServerResponse): void {
    // Caches must not give one origin's response to another.
    response.appendHeader('vary', 'Origin')
    if (origin === undefined || !isAllowed(origin)) return
    response.setHeader('access-control-allow-origin', origin)
    response.setHeader('access-control-expose-headers', RESPONSE_HEADERS)
  }

  return {
    allowRead,
    answerPreflight(request, response) {
      const { origin } = request.headers
      const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
      if (!isPreflight || origin === undefined) return false
      response.appendHeader('vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers')
      if (isAllowed(origin)) {
        response.setHeader('access-control-allow-origin', origin)
        response.setHeader('access-control-allow-methods', METHODS)
        response.setHeader('access-control-allow-headers', REQUEST_HEADERS)
        response.setHeader('access-control-max-age', MAX_AGE_S)
      }
      response.writeHead(204).end()
      return true
    },
  }
}
