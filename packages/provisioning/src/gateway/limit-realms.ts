import type { IncomingMessage, ServerResponse } from 'node:http'
import { problems } from '@storey/contract'
import { addressGroup, type ClientAddresses } from '@storey/kit/client-address'
import type { Clock } from '@storey/kit/clock'
import { createRateLimiter, newRequestId } from '@storey/kit/http'
import { wantsPage } from './html-page.ts'
import { problemAnswer } from './problem-answer.ts'
import { tooManyPage } from './too-many-page.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => boolean

/** Public documents that every part of the product fetches. They have no limit: requests for them store nothing. */
const PUBLISHED = /^\/realms\/[^/]+\/(\.well-known\/openid-configuration|jwks)$/

/** Paths whose requests store a row in the database: those that start a sign-in, enter a device code, or sign out. */
const BEGINS_SIGN_IN = /^\/realms\/[^/]+\/(auth|device|device\/auth|logout)$/
/**
 * Other requests, such as token renewals, have a higher limit, so that one program does not lock out the clients that
 * share its address.
 */
const OTHERS_FACTOR = 10

interface RealmLimits {
  /** Sign-ins per address; ten times as many other requests are allowed. 0: no limit. */
  perMinute: number
  clock: Clock
  clientAddresses: ClientAddresses
}

/** Limits the requests to the realms. The limits are per address, because users are not known before they sign in. */
export function limitRealms(handle: Handle, { perMinute, clock, clientAddresses }: RealmLimits): Handle {
  if (perMinute === 0) return handle
  const signIns = createRateLimiter({ perMinute, clock })
  const others = createRateLimiter({ perMinute: perMinute * OTHERS_FACTOR, clock })
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    if (!path.startsWith('/realms/') || PUBLISHED.test(path)) return handle(request, response)
    const limiter = BEGINS_SIGN_IN.test(path) ? signIns : others
    const { allowed, resetSeconds } = limiter.take(addressGroup(clientAddresses.clientAddress(request)))
    if (allowed) return handle(request, response)
    const { body, headers } = wantsPage(request)
      ? tooManyPage(request, resetSeconds)
      : problemAnswer(problems.rateLimited(resetSeconds), newRequestId())
    response.writeHead(429, headers).end(body)
    request.resume()
    return true
  }
}
