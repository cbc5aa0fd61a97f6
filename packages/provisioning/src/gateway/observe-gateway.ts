import type { IncomingHttpHeaders } from 'node:http'
import { REALM_ENDPOINTS, ROUTE_HEADER, type ServedRequest, SIGNED_IN_HEADER } from '@storey/contract'
import { NO_ROUTE, type ObservedCaller, type ObservedRequest } from '@storey/kit/http'

/** What answers a request. */
export type GatewayPart = 'gateway' | 'provisioning' | 'realms' | 'portal' | 'shell' | 'people' | 'stack'

/** The form of our routes. A route of any other form is neither logged nor used as a metric label. */
const ROUTE = /^[\w/:.*-]{1,120}$/
const CALLER = /^([a-z-]{1,30}) ([\w.:@%-]{1,600})$/
const IN_REALM = /^\/realms\/(?:developers|sandboxes)(\/.+)$/

/** Notes the route and the caller that the headers of a stack's response report. */
export function noteStackAnswer(observed: ObservedRequest, headers: IncomingHttpHeaders): void {
  const route = headers[ROUTE_HEADER]
  observed.route = typeof route === 'string' && ROUTE.test(route) ? route : NO_ROUTE
  observed.caller = callerIn(headers[SIGNED_IN_HEADER])
}

const REQUEST_ID = /^req_[\da-f]{32}$/
/** No response to an ingest request has more bytes. */
const MAX_BYTES = 64 * 1024
const MAX_TARGET = 4 * 1024

/** Validates a stack's report about an ingest request on a lent connection. Returns undefined for an invalid report. */
export function readServed(served: ServedRequest) {
  const { requestId, target, route, status, durationMs, bytes } = served
  const isValid =
    isText(requestId, REQUEST_ID) &&
    isText(route, ROUTE) &&
    isText(target, /^\/[\x21-\x7e]*$/) &&
    target.length <= MAX_TARGET &&
    Number.isInteger(status) &&
    status >= 200 &&
    status < 600 &&
    Number.isFinite(durationMs) &&
    durationMs >= 0 &&
    Number.isInteger(bytes) &&
    bytes >= 0 &&
    bytes <= MAX_BYTES
  return isValid ? { requestId, target, route, status, durationMs, bytes, caller: callerIn(served.caller) } : undefined
}

/** Checks the type first: a report may have any value in any field, and `test` converts its argument to a text. */
const isText = (value: unknown, form: RegExp): boolean => typeof value === 'string' && form.test(value)

function callerIn(text: string | string[] | undefined): ObservedCaller | undefined {
  const [, kind, id] = CALLER.exec(typeof text === 'string' ? text : '') ?? []
  return kind === undefined || id === undefined ? undefined : { kind, id }
}

/** The route of a request to the realms, which have no route templates. */
export function realmRoute(url: string): string {
  const at = url.indexOf('?')
  const [, path = ''] = IN_REALM.exec(at < 0 ? url : url.slice(0, at)) ?? []
  return REALM_ENDPOINTS.includes(path) ? `/realms/:realm${path}` : '/realms/:realm/*'
}
