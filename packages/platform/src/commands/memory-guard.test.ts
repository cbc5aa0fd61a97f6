import { getHeapSpaceStatistics } from 'node:v8'
import { silentLog } from '@storey/kit/log'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { watchMemory } from './memory-guard.ts'

const MB = 1024 * 1024
let rss = 100 * MB
const measured = vi.fn(() => rss)

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(process.memoryUsage, 'rss').mockImplementation(measured)
  rss = 100 * MB
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Advances the clock by this time, and returns the number of measurements meanwhile. */
function countWithin(ms: number): number {
  measured.mockClear()
  vi.advanceTimersByTime(ms)
  return measured.mock.calls.length
}

describe('the memory guard', () => {
  it('measures rarely while no request reads the memory usage, and often while requests do', () => {
    const memory = watchMemory(512, silentLog, () => undefined)
    vi.advanceTimersByTime(1_000)
    expect(countWithin(20_000)).toBeLessThanOrEqual(4)
    rss = 200 * MB
    expect(memory.rssBytes()).toBe(200 * MB)
    expect(countWithin(250)).toBe(1)
    const reading = setInterval(() => memory.rssBytes(), 100)
    expect(countWithin(2_000)).toBe(8)
    clearInterval(reading)
  })

  it('measures often above half of the limit, and reports once that the limit is exceeded', () => {
    const onExceeded = vi.fn()
    watchMemory(512, silentLog, onExceeded)
    rss = 300 * MB
    vi.advanceTimersByTime(3_000)
    expect(countWithin(2_000)).toBe(8)
    rss = 600 * MB
    vi.advanceTimersByTime(10_000)
    expect(onExceeded).toHaveBeenCalledTimes(1)
  })

  it('returns unused memory to the system when no request has read the memory usage for a while', () => {
    const memory = watchMemory(512, silentLog, () => undefined)
    vi.advanceTimersByTime(1_000)
    memory.rssBytes()
    const kept: object[] = []
    for (let i = 0; i < 1_000_000; i++) kept.push({ i })
    const before = youngBytes()
    vi.advanceTimersByTime(10_000)
    // Nothing is returned yet. V8 may add a page at any time, so the size may also grow.
    expect(youngBytes()).toBeGreaterThanOrEqual(before)
    vi.advanceTimersByTime(20_000)
    expect(youngBytes()).toBeLessThan(before / 2)
    expect(kept.length).toBe(1_000_000)
  })
})

const youngBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!.space_size
