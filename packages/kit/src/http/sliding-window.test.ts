import { describe, expect, it } from 'vitest'
import { movableClock } from '../clock.ts'
import { createRateLimiter } from './sliding-window.ts'

function newLimiter(perMinute: number, maxKeys?: number) {
  const clock = movableClock(new Date('2026-03-01T08:00:00.400Z'))
  const limiter = createRateLimiter({ perMinute, clock, ...(maxKeys === undefined ? {} : { maxKeys }) })
  const passed = (key: string, times: number) =>
    Array.from({ length: times }, () => limiter.take(key)).filter((state) => state.allowed).length
  return { clock, limiter, passed }
}

describe('a rate limiter', () => {
  it('[RAT-01] allows exactly the limit', () => {
    const { passed } = newLimiter(100)
    expect(passed('a', 250)).toBe(100)
  })

  it('[RAT-01] holds the limit in any 59 seconds, wherever they begin', () => {
    const { clock, limiter } = newLimiter(100)
    const times: number[] = []
    for (let i = 0; i < 3_000; i++) {
      if (limiter.take('a').allowed) times.push(clock.now().getTime())
      clock.advance(137)
    }
    // The limiter counts by whole seconds, so its window can be up to a second shorter than a minute.
    for (const from of times) {
      expect(times.filter((t) => t >= from && t < from + 59_000).length).toBeLessThanOrEqual(100)
    }
    expect(times.length).toBeGreaterThan(600)
  })

  it('[DIR-08] takes back the last counted request, even if a later one was refused', () => {
    const { clock, limiter, passed } = newLimiter(2)
    expect(passed('a', 2)).toBe(2)
    clock.advance(5_000)
    expect(limiter.take('a').allowed).toBe(false)
    limiter.giveBack('a')
    expect(passed('a', 2)).toBe(1)
    for (let i = 0; i < 4; i++) limiter.giveBack('a')
    expect(passed('a', 5)).toBe(2)
  })

  it('[RAT-02] reports accurately when the next request is allowed', () => {
    const { clock, limiter, passed } = newLimiter(3)
    limiter.take('a')
    clock.advance(20_300)
    expect(passed('a', 2)).toBe(2)
    const { allowed, resetSeconds } = limiter.take('a')
    expect({ allowed, resetSeconds }).toEqual({ allowed: false, resetSeconds: 40 })
    clock.advance((resetSeconds - 1) * 1_000)
    expect(limiter.take('a')).toMatchObject({ allowed: false, resetSeconds: 1 })
    clock.advance(1_000)
    expect(passed('a', 5)).toBe(1)
  })

  it('[RAT-02] never reports a wait below a second or above a minute', () => {
    const { clock, limiter } = newLimiter(2)
    for (let i = 0; i < 500; i++) {
      const { resetSeconds } = limiter.take('a')
      expect(resetSeconds).toBeGreaterThanOrEqual(1)
      expect(resetSeconds).toBeLessThanOrEqual(60)
      clock.advance(777)
    }
  })

  it('does not count refused requests', () => {
    const { clock, passed } = newLimiter(10)
    passed('a', 10)
    for (let s = 0; s < 59; s++) {
      clock.advance(1_000)
      expect(passed('a', 5)).toBe(0)
    }
    clock.advance(1_000)
    expect(passed('a', 20)).toBe(10)
  })

  it('reports the remaining requests', () => {
    const { limiter } = newLimiter(3)
    expect([1, 2, 3, 4].map(() => limiter.take('a').remaining)).toEqual([2, 1, 0, 0])
  })

  it('[RAT-03] counts each caller separately', () => {
    const { passed } = newLimiter(10)
    expect([passed('a', 50), passed('b', 50), passed('a', 1)]).toEqual([10, 10, 0])
  })

  it('starts counting from zero when the clock is set back', () => {
    const { clock, limiter, passed } = newLimiter(2)
    passed('a', 2)
    clock.advance(-3_600_000)
    expect(limiter.take('a')).toEqual({ allowed: true, remaining: 1, resetSeconds: 60 })
  })

  it('forgets callers that sent no request for a minute', () => {
    const { clock, limiter } = newLimiter(10)
    for (let i = 0; i < 500; i++) limiter.take(`caller ${i}`)
    expect(limiter.size()).toBe(500)
    clock.advance(60_000)
    limiter.take('a')
    expect(limiter.size()).toBe(1)
  })

  it('keeps a limited number of callers, and forgets the one that has sent no request for the longest time', () => {
    const { limiter, passed } = newLimiter(1, 100)
    passed('regular', 1)
    for (let i = 0; i < 5_000; i++) {
      limiter.take(`caller ${i}`)
      expect(passed('regular', 1)).toBe(0)
      expect(limiter.size()).toBeLessThanOrEqual(100)
    }
  })
})
