import type { IncomingHttpHeaders } from 'node:http'
import { ARRIVED_AT_HEADER, INTERNAL_KEY_HEADER, ROUTE_HEADER, SIGNED_IN_HEADER } from '@storey/contract'

/** Hop-by-hop headers (RFC 9110, 7.6.1) and headers that frame a body. They are removed; the gateway writes its own. */
const HOP_BY_HOP = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers that only the gateway may set. */
const GATEWAY_HEADERS = new Set([
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'x-request-id',
  ARRIVED_AT_HEADER,
  INTERNAL_KEY_HEADER,
  ROUTE_HEADER,
  SIGNED_IN_HEADER,
])

/** Headers of a stack's response that are for the gateway. */
const STACK_HEADERS = new Set([INTERNAL_KEY_HEADER, ROUTE_HEADER, SIGNED_IN_HEADER])

/**
 * Headers named in `Connection` are removed, except these: without them the message would have another caller,
 * origin or meaning.
 */
const PROTECTED =
  /^(host|authorization|cookie|set-cookie|origin|referer|date|etag|location|vary|allow|range|retry-after|accept.*|access-control-.*|cache-control|content-.*|if-.*|idempotency-key|sec-.*|user-agent|www-authenticate|x-.*)$/

/** The request headers that are forwarded to the stack. */
export function requestHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return endToEnd(headers, (name) => GATEWAY_HEADERS.has(name))
}

/** The response headers that are forwarded to the client, without framing. */
export function answerHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return endToEnd(headers, (name) => STACK_HEADERS.has(name))
}

function endToEnd(headers: IncomingHttpHeaders, isOurs: (name: string) => boolean): IncomingHttpHeaders {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/[\s,]+/))
  const isDropped = (name: string) => HOP_BY_HOP.has(name) || isOurs(name) || (named.has(name) && !PROTECTED.test(name))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isDropped(name)))
}

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Headers as lines. Throws when a name or value could break out of its line. */
export function headerLines(headers: Record<string, string | string[] | undefined>): string {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => {
      if (!NAME.test(name) || !VALUE.test(value)) throw new Error(`the header ${name} cannot be written`)
      return `${name}: ${value}\r\n`
    }),
  )
  return lines.join('')
}
