import { type HttpObserver, NO_ROUTE, type ObservedRequest, UNMATCHED_ROUTE } from './observe.ts'
import { endRequestSpan, startRequestSpan, tracedPath } from './request-span.ts'

export interface TraceObserverOptions {
  /** The scheme by which clients reach the service. */
  scheme: string
  isTrustedProxy(address: string): boolean
}

/** Gives each request a span. An upgrade gets no span: it may last for hours, and a span is sent only at its end. */
export function createTraceObserver({ scheme, isTrustedProxy }: TraceObserverOptions): HttpObserver {
  const attributes = { 'url.scheme': scheme }
  return {
    begin(observed) {
      if (observed.isUpgrade) return
      const { target, request } = observed
      const sender = isTrustedProxy(request.socket.remoteAddress ?? '') ? 'proxy' : 'client'
      const { method = '', headers } = request
      observed.span = startRequestSpan({ method, target, headers, attributes }, sender)
    },
    end(observed) {
      const { span, status } = observed
      if (!span?.isRecording()) return
      span.rename(nameOf(observed))
      span.set(attributesOf(observed))
      endRequestSpan(span, status)
    },
  }
}

function nameOf({ request, route, part }: ObservedRequest): string {
  return `${request.method} ${hasRoute(route) ? route : part}`
}

function attributesOf(observed: ObservedRequest) {
  const { route, part, sandboxId, requestId, clientAddress } = observed
  return {
    'url.path': tracedPath(observed),
    'client.address': clientAddress,
    'storey.part': part,
    ...(requestId === undefined ? {} : { 'storey.request.id': requestId }),
    ...(sandboxId === undefined ? {} : { 'storey.sandbox.id': sandboxId }),
    ...(hasRoute(route) ? { 'http.route': route } : {}),
  }
}

const hasRoute = (route: string) => route !== NO_ROUTE && route !== UNMATCHED_ROUTE
