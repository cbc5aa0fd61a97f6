import { setTimeout as sleep } from 'node:timers/promises'
import { Problem, problems } from '@storey/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressGroup } from '../client-address/index.ts'
import type { Clock } from '../clock.ts'
import { createRateLimiter, type RateLimiter, type RateLimitState, WINDOW_SECONDS } from './rate-limit.ts'

export interface RequestLimit {
  /** For each caller; 0: no limit. */
  perMinute: number
  /** For all callers together, beside the one for each. Absent, or 0 a minute: no limit. */
  shared?: { name: string; perMinute: number }
  /** How long a refusal takes at the most for those who go on all the same; a default when absent. */
  delayMs?: number
  /** Lets that time pass; a timer when absent. */
  wait?(ms: number): Promise<unknown>
  clock: Clock
}

export interface CountFor {
  /** Counts the request for this caller, or throws RATE_LIMITED. Null: a caller that is not counted. */
  (caller: string | null): void
  /**
   * Counts it for all callers together, or throws RATE_LIMITED: to be called once it is certain that the caller is one
   * of them, so that no stranger uses up what they share. Does nothing for a caller that is not counted.
   */
  shared(): void
}

/**
 * Many callers may share an address, behind a proxy all of them, so its share is wide, and only requests that fail to
 * say who they are from use it: nobody with a good credential is shut out by somebody else's bad ones.
 */
const ADDRESS_SHARE = 10

/** Whoever goes on all the same is answered slowly, so that it costs them their connections and us next to nothing. */
const DELAY_MS = 1_000
/** Of what an address has, for requests that fail to say who they are from; from there on their answers slow down. */
const QUICK_SHARE = 0.1
/** Refusals a minute that a caller gets at once. */
const QUICK_REFUSALS = 60
/** Those who wait take memory: beyond this many the others are answered at once. */
const MAX_DELAYED = 500

const pass = (ms: number) => sleep(ms, undefined, { ref: false })

const UNCOUNTED: CountFor = Object.assign(() => undefined, { shared: () => undefined })

type LimitRequests = (
  request: FastifyRequest,
  reply: FastifyReply,
  authorize: (count: CountFor) => Promise<void>,
) => Promise<void>

interface Limit {
  name: string
  perMinute: number
  limiter: RateLimiter
}

/** A limit per caller, one over all, and a wide one per address for those who are nobody. The answer tells of them. */
export function createRequestLimits(options: RequestLimit): LimitRequests {
  const { perMinute, shared, delayMs = DELAY_MS, wait = pass, clock } = options
  const limit = (name: string, figure: number): Limit | null =>
    figure === 0 ? null : { name, perMinute: figure, limiter: createRateLimiter({ perMinute: figure, clock }) }
  const perCaller = limit('caller', perMinute)
  const perAddress = limit('address', perMinute * ADDRESS_SHARE)
  const overall = limit(shared?.name ?? 'all', shared?.perMinute ?? 0)

  if (perCaller === null && overall === null) return (_request, _reply, authorize) => authorize(UNCOUNTED)
  const refusals = createRateLimiter({ perMinute: QUICK_REFUSALS, clock })
  let delayed = 0

  async function delay(ms: number): Promise<void> {
    if (ms <= 0 || delayed >= MAX_DELAYED) return
    delayed++
    await wait(ms)
    delayed--
  }

  /** The more of its share an address has used, the longer. */
  async function refuseNobody(
    request: FastifyRequest,
    reply: FastifyReply,
    limit: Limit,
    err: unknown,
  ): Promise<never> {
    const state = countRequest(reply, limit, addressGroup(request.clientAddress))
    const used = 1 - state.remaining / limit.perMinute
    await delay(delayMs * Math.max(0, (used - QUICK_SHARE) / (1 - QUICK_SHARE)))
    throw state.allowed ? err : problems.rateLimited(state.resetSeconds)
  }

  return async (request, reply, authorize) => {
    let counted: string | null | undefined
    let sharedCounted = false

    const count = (caller: string | null) => {
      counted = caller
      if (caller !== null && perCaller !== null) take(reply, perCaller, caller)
    }
    count.shared = () => {
      sharedCounted = true
      if (counted === null || counted === undefined || overall === null) return
      try {
        take(reply, overall, '')
      } catch (err) {
        // Refused for what others asked: the caller's own share stays as it was.
        perCaller?.limiter.giveBack(counted)
        throw err
      }
    }
    try {
      await authorize(count)
    } catch (err) {
      const { status = 0, code = '' } = err instanceof Problem ? err : {}
      if (counted === undefined && status === 401 && perAddress) await refuseNobody(request, reply, perAddress, err)
      if (code === 'RATE_LIMITED' && typeof counted === 'string' && !refusals.take(counted).allowed)
        await delay(delayMs)
      throw err
    }
    if (counted === undefined) throw new Error('a caller was let through without being counted')
    if (overall !== null && !sharedCounted) throw new Error('a caller was let through without being counted for all')
  }
}

function take(reply: FastifyReply, limit: Limit, key: string): void {
  const { allowed, resetSeconds } = countRequest(reply, limit, key)
  if (!allowed) throw problems.rateLimited(resetSeconds)
}

function countRequest(reply: FastifyReply, { name, perMinute, limiter }: Limit, key: string): RateLimitState {
  const state = limiter.take(key)
  tell(reply, 'ratelimit-policy', `"${name}";q=${perMinute};w=${WINDOW_SECONDS}`)
  tell(reply, 'ratelimit', `"${name}";r=${state.remaining};t=${state.resetSeconds}`)
  return state
}

/** The structured fields of draft-ietf-httpapi-ratelimit-headers: a list, an item for each limit. */
function tell(reply: FastifyReply, header: string, item: string): void {
  const present = reply.getHeader(header)
  reply.header(header, present === undefined ? item : `${present}, ${item}`)
}
