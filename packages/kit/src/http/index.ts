export { chooseCoding } from './accept-encoding.ts'
export { createHttp, type HttpApp, type HttpOptions } from './app.ts'
export { type AuthorizationScheme, bearerToken } from './bearer.ts'
export { releaseBuffer, takeBuffer } from './body-pool.ts'
export { announcesBody, BODIES, type BodyCoding, type BodyForm, type BodyRule } from './body-rule.ts'
export { ByteCollector } from './byte-collector.ts'
export { expectedBytes } from './decompress-body.ts'
export { answerUnread } from './drain-request.ts'
export { answerIfKnown } from './entity-tags.ts'
export { createErrorLog, type ErrorLog, toProblem } from './errors.ts'
export { holdContinue, sendContinue } from './expect-continue.ts'
export { tookTooLong, WORK_LIMIT_MS } from './limit-work.ts'
export { loggedPath } from './logged-path.ts'
export {
  CLIENT_CLOSED,
  endObserved,
  type HttpObserver,
  NO_ROUTE,
  type ObservedCaller,
  type ObservedRequest,
  observe,
  observedOf,
  observeUpgrade,
  reportObserved,
  UNMATCHED_ROUTE,
} from './observe.ts'
export { parseJson } from './parse-json.ts'
export { endOfValue } from './parse-slices.ts'
export { knownTag, NO_PRECONDITION, type Precondition, type RecordRule, tagOfCoding } from './preconditions.ts'
export {
  type CountedRequest,
  type CountFor,
  createRequestLimits,
  type RequestLimit,
  type RequestLimits,
} from './rate-limit.ts'
export {
  BY_UPDATED_AT,
  BY_VERSION,
  digestVersion,
  instantVersion,
  versionOf,
  withVersion,
} from './record-version.ts'
export { newRequestId } from './request-id.ts'
export { createRateLimiter } from './sliding-window.ts'
export { createTraceObserver } from './trace-observer.ts'
export { createUnavailableLog } from './unavailable-log.ts'
export { createBodyCheck } from './validation.ts'
export { whileConnected } from './while-connected.ts'
