import type { IncomingMessage, ServerResponse } from 'node:http'
import { problems } from '@storey/contract'
import { addressGroup, type ClientAddresses } from '@storey/kit/client-address'
import type { Clock } from '@storey/kit/clock'
import { createRateLimiter, newRequestId } from '@storey/kit/http'
import { problemAnswer } from './problem-answer.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => boolean

/** What every part of the product asks for now and then, and what leaves nothing behind. */
const PUBLISHED = /\/(\.well-known\/openid-configuration|jwks)$/

/** A sign-in that is begun leaves a row behind, and nobody is known yet: each address may begin so many a minute. */
export function limitRealms(
  handle: Handle,
  { perMinute, clock, clientAddresses }: { perMinute: number; clock: Clock; clientAddresses: ClientAddresses },
): Handle {
  if (perMinute === 0) return handle
  const limiter = createRateLimiter({ perMinute, clock })
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    if (!path.startsWith('/realms/') || PUBLISHED.test(path)) return handle(request, response)
    const { allowed, resetSeconds } = limiter.take(addressGroup(clientAddresses.clientAddress(request)))
    if (allowed) return handle(request, response)
    const { body, headers } = problemAnswer(problems.rateLimited(resetSeconds), newRequestId())
    response.writeHead(429, headers).end(body)
    request.resume()
    return true
  }
}
