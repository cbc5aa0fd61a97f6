import { problems } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { movableClock } from '../clock.ts'
import { silentLog } from '../log.ts'
import { createHttp } from './app.ts'
import { createRequestLimits } from './rate-limit.ts'

async function newApp(perMinute: number, all = 0, delayMs = 0, wait?: (ms: number) => Promise<void>) {
  const clock = movableClock(new Date('2026-03-01T08:00:00Z'))
  const app = await createHttp({
    title: 'Test',
    description: 'A test',
    log: silentLog,
    authorize: async ({ headers: { authorization } }, access, count) => {
      if (authorization === undefined) throw problems.unauthenticated()
      if (authorization !== 'uncounted') count(authorization === 'inside' ? null : authorization)
      if (authorization === 'outsider') throw problems.permissionDenied(access)
      if (authorization !== 'unshared') count.shared()
      if (authorization === 'guest') throw problems.permissionDenied(access)
      if (authorization === 'late') throw problems.unauthenticated()
    },
    rateLimit: { perMinute, shared: { name: 'house', perMinute: all }, delayMs, clock, ...(wait ? { wait } : {}) },
    checkReady: async () => undefined,
  })
  app.get('/things', { config: { access: 'things:read' } }, async () => [])
  const get = (authorization?: string, url = '/things') =>
    app.inject({ url, ...(authorization === undefined ? {} : { headers: { authorization } }) })
  const statuses = async (times: number, authorization?: string) => {
    const all: number[] = []
    for (let i = 0; i < times; i++) all.push((await get(authorization)).statusCode)
    return Object.fromEntries(Object.entries(Object.groupBy(all, (s) => s)).map(([s, list]) => [s, list!.length]))
  }
  return { get, statuses, clock }
}

describe('the rate limits of requests', () => {
  it('[RAT-02, RAT-06] report the remaining requests, and Retry-After in a refusal', async () => {
    const { get, statuses, clock } = await newApp(3)
    const { headers } = await get('a')
    expect(headers).toMatchObject({ 'ratelimit-policy': '"caller";q=3;w=60', ratelimit: '"caller";r=2;t=60' })
    clock.advance(10_000)
    await statuses(2, 'a')
    const refused = await get('a')
    expect(refused.headers).toMatchObject({ 'retry-after': '50', ratelimit: '"caller";r=0;t=50' })
    expect(refused.json()).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    clock.advance(50_000)
    expect((await get('a')).statusCode).toBe(200)
  })

  it('[RAT-06] are reported in refusals of every kind, and requests refused with 401 or 403 count too', async () => {
    const { get, statuses } = await newApp(3)
    expect((await get('guest')).headers.ratelimit).toBe('"caller";r=2;t=60')
    expect(await statuses(5, 'guest')).toEqual({ 403: 2, 429: 3 })
    expect((await get('late')).headers.ratelimit).toBe('"caller";r=2;t=60')
  })

  it('do not apply to health checks and documents', async () => {
    const { get, statuses } = await newApp(1)
    await statuses(2, 'a')
    for (const url of ['/healthz', '/readyz', '/docs', '/api/v1/openapi.json']) {
      const answer = await get('a', url)
      expect(answer.statusCode, url).toBe(200)
      expect(answer.headers).not.toHaveProperty('ratelimit')
    }
  })

  it('are ten times as high for all unauthenticated requests of an address together, and unauthenticated requests do not count in the limit of a caller', async () => {
    const { get, statuses } = await newApp(5)
    expect((await get()).headers).toMatchObject({ 'ratelimit-policy': '"address";q=50;w=60' })
    expect(await statuses(60)).toEqual({ 401: 49, 429: 11 })
    expect(await statuses(5, 'a')).toEqual({ 200: 5 })
  })

  /**
   * Replaces the timer of delayed requests: they wait until the test releases them, and their delays are recorded.
   */
  function delayedRequests() {
    const asked: number[] = []
    const held: (() => void)[] = []
    return {
      asked,
      wait: (ms: number) => {
        asked.push(ms)
        return new Promise<void>((resolve) => held.push(resolve))
      },
      letGo: () => {
        for (const resolve of held.splice(0)) resolve()
      },
    }
  }
  const many = (times: number, get: () => Promise<{ statusCode: number }>) => {
    const statuses: number[] = []
    const all = Array.from({ length: times }, async () => void statuses.push((await get()).statusCode))
    return { statuses, all: Promise.all(all) }
  }

  it('[RAT-10] delay unauthenticated requests, more and more as their address uses up its limit', async () => {
    const { asked, wait, letGo } = delayedRequests()
    const { get, statuses } = await newApp(10, 0, 500, wait)
    expect(await statuses(10)).toEqual({ 401: 10 })
    expect(asked).toEqual([])
    const slowed = many(90, get)
    await expect.poll(() => asked.length).toBe(90)
    expect(asked).toEqual(asked.toSorted((a, b) => a - b))
    expect(asked[0]).toBeCloseTo(500 / 90)
    expect(asked.at(-1)).toBe(500)
    expect(slowed.statuses).toEqual([])
    // At most 500 requests are delayed at the same time. The accepted request of a caller is not delayed.
    const refused = many(600, get)
    await expect.poll(() => refused.statuses.length).toBe(600 - 500 + 90)
    expect((await get('a')).statusCode).toBe(200)
    expect(asked.length).toBe(500)
    letGo()
    await Promise.all([slowed.all, refused.all])
    expect(new Set(slowed.statuses)).toEqual(new Set([401]))
    expect(new Set(refused.statuses)).toEqual(new Set([429]))
  })

  it('[RAT-10] delay the refusals of a caller that continues after sixty refusals within a minute', async () => {
    const { asked, wait, letGo } = delayedRequests()
    const { get, statuses } = await newApp(1, 0, 300, wait)
    expect(await statuses(61, 'a')).toEqual({ 200: 1, 429: 60 })
    expect(asked).toEqual([])
    const slow = get('a')
    await expect.poll(() => asked).toEqual([300])
    expect((await get('b')).statusCode).toBe(200)
    letGo()
    expect((await slow).statusCode).toBe(429)
    expect(asked).toEqual([300])
  })

  it('[RAT-10] delay unauthenticated requests with a real timer if `wait` is not set', async () => {
    const { statuses } = await newApp(1, 0, 50)
    await statuses(10)
    const from = performance.now()
    await statuses(1)
    expect(performance.now() - from).toBeGreaterThanOrEqual(49)
  })

  it('[RAT-05] are disabled by the value 0', async () => {
    const { get, statuses } = await newApp(0)
    expect(await statuses(300, 'a')).toEqual({ 200: 300 })
    expect(await statuses(300)).toEqual({ 401: 300 })
    expect((await get('a')).headers).not.toHaveProperty('ratelimit')
    expect((await get('uncounted')).statusCode).toBe(200)
  })

  it('refuse with 500 a request that was authorized without being counted', async () => {
    const { get } = await newApp(5, 5)
    expect((await get('uncounted')).statusCode).toBe(500)
    expect((await get('unshared')).statusCode).toBe(500)
  })

  it('[RAT-09, RAT-06] include a limit for all callers together, and both limits are reported', async () => {
    const { get, statuses, clock } = await newApp(3, 5)
    expect((await get('a')).headers).toMatchObject({
      'ratelimit-policy': '"caller";q=3;w=60, "house";q=5;w=60',
      ratelimit: '"caller";r=2;t=60, "house";r=4;t=60',
    })
    clock.advance(20_000)
    expect(await statuses(3, 'a')).toEqual({ 200: 2, 429: 1 })
    expect(await statuses(3, 'b')).toEqual({ 200: 2, 429: 1 })
    const refused = await get('b')
    expect(refused.headers).toMatchObject({ 'retry-after': '40', ratelimit: '"caller";r=0;t=60, "house";r=0;t=40' })
    expect(refused.json()).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    clock.advance(40_000)
    expect((await get('b')).statusCode).toBe(200)
  })

  it('[RAT-09] do not count, in the shared limit, requests of unauthenticated clients, of callers outside the tenant, or of the service itself', async () => {
    const { statuses } = await newApp(0, 5)
    expect(await statuses(20, 'outsider')).toEqual({ 403: 20 })
    expect(await statuses(20)).toEqual({ 401: 20 })
    expect(await statuses(20, 'inside')).toEqual({ 200: 20 })
    expect(await statuses(7, 'a')).toEqual({ 200: 5, 429: 2 })
  })

  it('[RAT-09] do not count a request in the caller’s own limit if the shared limit refuses the request', async () => {
    const { get, statuses, clock } = await newApp(3, 4)
    await statuses(3, 'a')
    expect(await statuses(5, 'b')).toEqual({ 200: 1, 429: 4 })
    clock.advance(59_000)
    expect((await get('b')).headers.ratelimit).toContain('"caller";r=1;')
  })
})

describe('a request that is counted with `take`', () => {
  const clock = movableClock(new Date('2026-03-01T08:00:00Z'))

  it('[DIR-08] counts in both limits or in none, and can be given back', () => {
    const limits = createRequestLimits({ perMinute: 2, shared: { name: 'house', perMinute: 3 }, clock })
    const first = limits.take('a')!
    expect(first.headers).toEqual({
      'ratelimit-policy': '"caller";q=2;w=60, "house";q=3;w=60',
      ratelimit: '"caller";r=1;t=60, "house";r=2;t=60',
    })
    expect(limits.take('a')).toBeDefined()
    expect(limits.take('a')).toBeUndefined()
    expect(limits.take('b')!.headers.ratelimit).toBe('"caller";r=1;t=60, "house";r=0;t=60')
    expect(limits.take('b')).toBeUndefined()
    first.giveBack()
    expect(limits.take('b')!.headers.ratelimit).toBe('"caller";r=0;t=60, "house";r=0;t=60')
  })

  it('[DIR-08] has no rate-limit headers if there are no limits', () => {
    const counted = createRequestLimits({ perMinute: 0, clock }).take('a')!
    counted.giveBack()
    expect(counted.headers).toEqual({})
  })
})
