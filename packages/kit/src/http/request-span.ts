import type { IncomingHttpHeaders } from 'node:http'
import { type RemoteParent, type Span, startServerSpan } from '../tracing/index.ts'

/** Probes of a monitor arrive every few seconds, and would be most of the traces of an idle service. */
const PROBES = new Set(['/healthz', '/readyz'])
const MAX_PATH_LENGTH = 512

export interface TracedRequest {
  method: string
  /** With its query. */
  target: string
  headers: IncomingHttpHeaders
  scheme: string
  /** The template of the route, if it is known already. */
  route?: string | undefined
  requestId?: string
}

/** Starts the span of a request, without its query, which may contain a secret. Undefined while traces are off. */
export function startRequestSpan(
  { method, target, headers, scheme, route, requestId }: TracedRequest,
  sender: RemoteParent['sender'],
): Span | undefined {
  const path = pathOf(target)
  if (PROBES.has(path)) return undefined
  const { traceparent, tracestate } = headers as Record<string, string | undefined>
  const attributes = {
    'http.request.method': method,
    'url.path': path,
    'url.scheme': scheme,
    ...(route === undefined ? {} : { 'http.route': route }),
    ...(requestId === undefined ? {} : { 'storey.request.id': requestId }),
  }
  const name = route === undefined ? method : `${method} ${route}`
  const parent = traceparent === undefined ? undefined : { traceparent, tracestate, sender }
  return startServerSpan({ name, kind: 'server', attributes }, parent)
}

/** Adds the response, and ends the span. Only errors of the service make it fail, not those of the client. */
export function endRequestSpan(span: Span, status: number): void {
  span.set({ 'http.response.status_code': status })
  if (status >= 500) span.fail(String(status))
  span.end()
}

/** A long path is copied, because a part of a string keeps the whole in memory. */
function pathOf(target: string): string {
  const at = target.indexOf('?')
  const path = target.slice(0, at < 0 ? MAX_PATH_LENGTH : Math.min(at, MAX_PATH_LENGTH))
  return target.length > MAX_PATH_LENGTH ? Buffer.from(path).toString() : path
}
