import { Problem, problems } from '@storey/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressGroup } from '../client-address/index.ts'
import type { Clock } from '../clock.ts'
import { createRateLimiter, type Standing, WINDOW_SECONDS } from './rate-limit.ts'

export interface RequestLimit {
  /** 0: no limit. */
  perMinute: number
  clock: Clock
}

/** Counts the request for this caller, or throws RATE_LIMITED. Null: a caller that is not counted. */
export type CountFor = (caller: string | null) => void

/**
 * Many callers may share an address, behind a proxy all of them, so its share is wide, and only requests that fail to
 * say who they are from use it: nobody with a good credential is shut out by somebody else's bad ones.
 */
const ADDRESS_SHARE = 10

type LimitRequests = (
  request: FastifyRequest,
  reply: FastifyReply,
  authorize: (count: CountFor) => Promise<void>,
) => Promise<void>

/** A limit per caller, and a wide one per address for those who are nobody. The answer tells where they stand. */
export function createRequestLimits({ perMinute, clock }: RequestLimit): LimitRequests {
  if (perMinute === 0) return (_request, _reply, authorize) => authorize(() => undefined)
  const limits = {
    caller: { perMinute, limiter: createRateLimiter({ perMinute, clock }) },
    address: {
      perMinute: perMinute * ADDRESS_SHARE,
      limiter: createRateLimiter({ perMinute: perMinute * ADDRESS_SHARE, clock }),
    },
  }

  function count(reply: FastifyReply, policy: keyof typeof limits, key: string): void {
    const standing = limits[policy].limiter.take(key)
    reply.headers(rateLimitHeaders(policy, limits[policy].perMinute, standing))
    if (!standing.allowed) throw problems.rateLimited(standing.resetSeconds)
  }

  return async (request, reply, authorize) => {
    let known = false
    try {
      await authorize((caller) => {
        known = true
        if (caller !== null) count(reply, 'caller', caller)
      })
    } catch (err) {
      if (!known && err instanceof Problem && err.status === 401) {
        count(reply, 'address', addressGroup(request.clientAddress))
      }
      throw err
    }
    if (!known) throw new Error('a caller was let through without being counted')
  }
}

/** The structured fields of draft-ietf-httpapi-ratelimit-headers. */
function rateLimitHeaders(policy: string, quota: number, { remaining, resetSeconds }: Standing) {
  return {
    'ratelimit-policy': `"${policy}";q=${quota};w=${WINDOW_SECONDS}`,
    ratelimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
  }
}
