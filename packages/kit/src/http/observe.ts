import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Span } from '../tracing/index.ts'

/** Who sent a request: what kind of credential, and the id of its owner. Never the credential itself. */
export interface ObservedCaller {
  kind: string
  id: string
}

/**
 * One request, as metrics, the access log and traces see it. Each layer that handles the request fills in what it
 * knows.
 */
export interface ObservedRequest {
  readonly request: Pick<IncomingMessage, 'method' | 'headers' | 'socket'>
  /** The target that the client sent. `request.url` may be rewritten later. */
  readonly target: string
  /** By the monotonic clock (`performance.now()`). */
  readonly startedAtMs: number
  readonly clientAddress: string
  /** Whether the request becomes a connection of another protocol, which may last for hours. */
  readonly isUpgrade: boolean
  requestId: string | undefined
  /** What answers the request, such as `stack` or `portal`. */
  part: string
  /** The template of the route, never the path. */
  route: string
  sandboxId: string | undefined
  caller: ObservedCaller | undefined
  /**
   * The status of the response. Before the end of the request it is 0, unless a status was sent without a response
   * object, as when an upgrade is accepted or refused.
   */
  status: number
  durationMs: number
  /** Bytes sent to the client, including headers. */
  bytes: number
  /** Whether the client disconnected before it had the whole response. */
  isAborted: boolean
  /** The span of the request. Undefined while traces are off. */
  span: Span | undefined
}

/** Sees every request of an HTTP layer. Both calls are synchronous, must be cheap, and must not throw. */
export interface HttpObserver {
  /** The head of the request has been read. */
  begin?(observed: ObservedRequest): void
  /** The response was sent, or the connection has ended. */
  end?(observed: ObservedRequest): void
}

/** The `route` of a request that matched no route of its part. */
export const UNMATCHED_ROUTE = 'unmatched'
/** The `route` of a request that was answered before a route was chosen. */
export const NO_ROUTE = 'none'
/** The `status` if the client disconnected before a response began; nginx uses this status too. */
export const CLIENT_CLOSED = 499

const observedRequests = new WeakMap<IncomingMessage, ObservedRequest>()

/** The `ObservedRequest` of a request; undefined if no observer sees the request. */
export const observedOf = (request: IncomingMessage): ObservedRequest | undefined => observedRequests.get(request)

/** Reports a request to the observers now, and its end when the response is sent or the connection ends. */
export function observe(
  observers: readonly HttpObserver[],
  request: IncomingMessage,
  response: ServerResponse,
  { part, clientAddress }: Pick<ObservedRequest, 'part' | 'clientAddress'>,
): ObservedRequest {
  const observed = newObserved(request, part, clientAddress, false)
  const { socket } = request
  const sentBefore = socket.bytesWritten
  observedRequests.set(request, observed)
  for (const observer of observers) observer.begin?.(observed)
  response.once('close', () => {
    if (response.headersSent) observed.status = response.statusCode
    else if (observed.status === 0) observed.status = CLIENT_CLOSED
    observed.isAborted = !response.writableFinished
    endObserved(observers, observed, socket.bytesWritten - sentBefore)
  })
  return observed
}

/** Reports an upgrade, which has no response object, to observers. The caller reports its end with `endObserved`. */
export function observeUpgrade(
  observers: readonly HttpObserver[],
  request: IncomingMessage,
  { part, clientAddress }: Pick<ObservedRequest, 'part' | 'clientAddress'>,
): ObservedRequest {
  const observed = newObserved(request, part, clientAddress, true)
  observedRequests.set(request, observed)
  for (const observer of observers) observer.begin?.(observed)
  return observed
}

export function endObserved(observers: readonly HttpObserver[], observed: ObservedRequest, bytes: number): void {
  observed.bytes = bytes
  observed.durationMs = performance.now() - observed.startedAtMs
  for (const observer of observers) observer.end?.(observed)
}

/** Reports a request that another process has answered. */
export function reportObserved(
  observers: readonly HttpObserver[],
  answered: Omit<ObservedRequest, 'startedAtMs' | 'isUpgrade' | 'isAborted' | 'span'>,
): void {
  const startedAtMs = performance.now() - answered.durationMs
  const observed: ObservedRequest = { ...answered, startedAtMs, isUpgrade: false, isAborted: false, span: undefined }
  for (const observer of observers) observer.begin?.(observed)
  for (const observer of observers) observer.end?.(observed)
}

function newObserved(
  request: IncomingMessage,
  part: string,
  clientAddress: string,
  isUpgrade: boolean,
): ObservedRequest {
  return {
    request,
    target: request.url ?? '',
    startedAtMs: performance.now(),
    clientAddress,
    isUpgrade,
    requestId: undefined,
    part,
    route: NO_ROUTE,
    sandboxId: undefined,
    caller: undefined,
    status: 0,
    durationMs: 0,
    bytes: 0,
    isAborted: false,
    span: undefined,
  }
}
