import type { IncomingMessage, ServerResponse } from 'node:http'
import { problems } from '@storey/contract'
import { addressGroup, type ClientAddresses } from '@storey/kit/client-address'
import type { Clock } from '@storey/kit/clock'
import { createRateLimiter, newRequestId } from '@storey/kit/http'
import { problemAnswer } from './problem-answer.ts'
import { tooManyPage, wantsPage } from './too-many-page.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => boolean

/** What every part of the product asks for now and then, and what leaves nothing behind. */
const PUBLISHED = /\/(\.well-known\/openid-configuration|jwks)$/

/** A sign-in that is begun leaves a row in the database. */
const BEGINS_SIGN_IN = /\/(auth|device\/auth)$/
/** Neighbours behind one address renew their tokens there: they are not shut out by one careless program among them. */
const OTHERS_FACTOR = 10

interface RealmLimits {
  /** Sign-ins that an address may begin; of other requests it may make ten times as many. 0: no limit. */
  perMinute: number
  clock: Clock
  clientAddresses: ClientAddresses
}

/** Nobody is known yet at a realm, so its limits are per address. */
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
