import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createThrottle } from './throttle.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a throttle', () => {
  it('runs once for several calls in a short time', () => {
    let runs = 0
    const throttle = createThrottle(
      () => runs++,
      () => 100,
    )
    for (let i = 0; i < 10; i++) throttle.call()
    vi.advanceTimersByTime(99)
    expect(runs).toBe(0)
    vi.advanceTimersByTime(1)
    expect(runs).toBe(1)
    throttle.call()
    vi.advanceTimersByTime(100)
    expect(runs).toBe(2)
    throttle.call()
    throttle.stop()
    vi.advanceTimersByTime(10_000)
    expect(runs).toBe(2)
  })

  it('runs at most five times in a row, and then once in five seconds', () => {
    let runs = 0
    const throttle = createThrottle(
      () => runs++,
      () => 10,
    )
    const callFor = (ms: number) => {
      const before = runs
      for (let i = 0; i < ms; i += 20) {
        throttle.call()
        vi.advanceTimersByTime(20)
      }
      return runs - before
    }
    expect(callFor(1_000)).toBe(5)
    expect(callFor(60_000)).toBe(12)
    vi.advanceTimersByTime(60_000)
    expect(callFor(1_000)).toBe(5)
  })
})
