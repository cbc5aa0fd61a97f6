import type { IncomingHttpHeaders } from 'node:http'
import { type RemoteParent, type Span, startServerSpan } from '../tracing/index.ts'
import { loggedPath, pathOf } from './logged-path.ts'

/** Probes arrive every few seconds and would be most of the traces of an idle service, so they get no span. */
const PROBES = new Set(['/healthz', '/readyz'])
const MAX_PATH_LENGTH = 512

export interface TracedRequest {
  method: string
  /** The target of the request, with its query. */
  target: string
  headers: IncomingHttpHeaders
  attributes?: Record<string, string>
  /** The name of the span; the method when absent. */
  name?: string
}

/** Starts the span of a request. Undefined for a probe, and while traces are off. */
export function startRequestSpan(
  { method, target, headers, attributes = {}, name = method }: TracedRequest,
  sender: RemoteParent['sender'],
): Span | undefined {
  if (PROBES.has(pathOf(target))) return undefined
  const { traceparent, tracestate } = headers as Record<string, string | undefined>
  const parent = traceparent === undefined ? undefined : { traceparent, tracestate, sender }
  const all = { 'http.request.method': method, ...attributes }
  return startServerSpan({ name, kind: 'server', attributes: all }, parent)
}

/**
 * Adds the status of the response, and ends the span. Only errors of the service make the span fail, not those of the
 * client.
 */
export function endRequestSpan(span: Span, status: number): void {
  span.set({ 'http.response.status_code': status })
  if (status >= 500) span.fail(String(status))
  span.end()
}

/**
 * The path of a request as an attribute. If the target is long, the path is copied, because a substring keeps the whole
 * string in memory.
 */
export function tracedPath(request: Parameters<typeof loggedPath>[0]): string {
  const path = loggedPath(request, MAX_PATH_LENGTH)
  return request.target.length > MAX_PATH_LENGTH ? Buffer.from(path).toString() : path
}
