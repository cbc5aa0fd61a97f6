import { setTimeout as sleep } from 'node:timers/promises'
import { Problem, problems } from '@storey/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressGroup } from '../client-address/index.ts'
import type { Clock } from '../clock.ts'
import { createRateLimiter, type RateLimiter, type RateLimitState, WINDOW_SECONDS } from './sliding-window.ts'

export interface RequestLimit {
  /** The limit of each caller; 0: no limit. */
  perMinute: number
  /** The limit of all callers together. Absent, or 0 a minute: no limit. */
  shared?: { name: string; perMinute: number }
  /** The longest delay of a refusal, for a client that keeps sending requests after refusals. */
  delayMs?: number
  /** Waits for the delay; by default with a timer. */
  wait?(ms: number): Promise<unknown>
  clock: Clock
}

export interface CountFor {
  /** Counts the request for this caller, or throws RATE_LIMITED. Null: a caller without a limit. */
  (caller: string | null): void
  /**
   * Counts the request in the limit that all callers share, or throws RATE_LIMITED. Call it when the caller is known to
   * belong to the tenant of the sandbox, so that no other caller uses up the shared limit. Does nothing for a caller
   * without a limit.
   */
  shared(): void
}

/**
 * Many callers can share an address; behind a proxy that is not trusted, all of them do. So the limit of an address is
 * this many times the limit of a caller, and only requests without a valid credential count: nobody with a valid
 * credential is refused because of others at the same address.
 */
const ADDRESS_SHARE = 10

/**
 * Clients that continue after refusals are answered slowly: this occupies their connections and costs us almost
 * nothing.
 */
const DELAY_MS = 1_000
/** Above this share of an address's limit, unauthenticated requests are delayed. */
const QUICK_SHARE = 0.1
/** How many 429 responses a caller gets in a minute without a delay. */
const QUICK_REFUSALS = 60
/** Delayed requests take memory, so beyond this number further requests are answered immediately. */
const MAX_DELAYED = 500

const pass = (ms: number) => sleep(ms, undefined, { ref: false })

const NO_LIMITS: CountedRequest = { headers: {}, giveBack: () => undefined }
const UNCOUNTED: CountFor = Object.assign(() => undefined, { shared: () => undefined })

/** The methods of a reply with which the limits are written to its headers. */
type LimitedReply = Pick<FastifyReply, 'getHeader' | 'header'>

/** A request that counts in the limits. */
export interface CountedRequest {
  /** The headers of its response that report the limits. */
  headers: Readonly<Record<string, string>>
  /** Undoes the counting of the request. */
  giveBack(): void
}

export interface RequestLimits {
  /** Authorizes a request with `authorize`, which counts it, and delays refusals if necessary. */
  run(request: FastifyRequest, reply: FastifyReply, authorize: (count: CountFor) => Promise<void>): Promise<void>
  /** Counts a request of an authorized caller. Undefined if a limit is used up: then the request counts in no limit. */
  take(caller: string): CountedRequest | undefined
}

interface Limit {
  name: string
  perMinute: number
  limiter: RateLimiter
}

/**
 * A limit per caller, one for all callers, and a high one per address for unauthenticated requests. Responses report
 * these limits in their headers.
 */
export function createRequestLimits(options: RequestLimit): RequestLimits {
  const { perMinute, shared, delayMs = DELAY_MS, wait = pass, clock } = options
  const limit = (name: string, figure: number): Limit | null =>
    figure === 0 ? null : { name, perMinute: figure, limiter: createRateLimiter({ perMinute: figure, clock }) }
  const perCaller = limit('caller', perMinute)
  const perAddress = limit('address', perMinute * ADDRESS_SHARE)
  const overall = limit(shared?.name ?? 'all', shared?.perMinute ?? 0)

  if (perCaller === null && overall === null)
    return { run: (_request, _reply, authorize) => authorize(UNCOUNTED), take: () => NO_LIMITS }
  const refusals = createRateLimiter({ perMinute: QUICK_REFUSALS, clock })
  let delayed = 0

  async function delay(ms: number): Promise<void> {
    if (ms <= 0 || delayed >= MAX_DELAYED) return
    delayed++
    await wait(ms)
    delayed--
  }

  /** The delay grows with the used share of the address's limit. */
  async function refuseUnauthenticated(
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

  async function run(
    request: FastifyRequest,
    reply: FastifyReply,
    authorize: (count: CountFor) => Promise<void>,
  ): Promise<void> {
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
        // The shared limit refuses the request, so the request no longer counts in the caller's own limit.
        perCaller?.limiter.giveBack(counted)
        throw err
      }
    }
    try {
      await authorize(count)
    } catch (err) {
      const { status = 0, code = '' } = err instanceof Problem ? err : {}
      if (counted === undefined && status === 401 && perAddress)
        await refuseUnauthenticated(request, reply, perAddress, err)
      if (code === 'RATE_LIMITED' && typeof counted === 'string' && !refusals.take(counted).allowed)
        await delay(delayMs)
      throw err
    }
    if (counted === undefined) throw new Error('a caller was authorized without being counted')
    if (overall !== null && !sharedCounted)
      throw new Error('a caller was authorized without being counted in the shared limit')
  }
  function takeBoth(caller: string): CountedRequest | undefined {
    const headers: Record<string, string> = {}
    const reply = headersOf(headers)
    if (perCaller !== null && !countRequest(reply, perCaller, caller).allowed) return undefined
    if (overall !== null && !countRequest(reply, overall, '').allowed) {
      perCaller?.limiter.giveBack(caller)
      return undefined
    }
    return {
      headers,
      giveBack() {
        perCaller?.limiter.giveBack(caller)
        overall?.limiter.giveBack('')
      },
    }
  }

  return { run, take: takeBoth }
}

function take(reply: LimitedReply, limit: Limit, key: string): void {
  const { allowed, resetSeconds } = countRequest(reply, limit, key)
  if (!allowed) throw problems.rateLimited(resetSeconds)
}

function countRequest(reply: LimitedReply, { name, perMinute, limiter }: Limit, key: string): RateLimitState {
  const state = limiter.take(key)
  appendHeader(reply, 'ratelimit-policy', `"${name}";q=${perMinute};w=${WINDOW_SECONDS}`)
  appendHeader(reply, 'ratelimit', `"${name}";r=${state.remaining};t=${state.resetSeconds}`)
  return state
}

/** Adds an item to a header that lists all limits, as draft-ietf-httpapi-ratelimit-headers defines. */
function appendHeader(reply: LimitedReply, header: string, item: string): void {
  const present = reply.getHeader(header)
  reply.header(header, present === undefined ? item : `${present}, ${item}`)
}

/** A reply that writes its headers into the given object. */
function headersOf(headers: Record<string, string>): LimitedReply {
  return {
    getHeader: (name) => headers[name],
    header(name, value) {
      headers[name] = value as string
      return undefined as never
    },
  }
}
