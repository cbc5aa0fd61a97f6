import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPacketRate } from './packet-rate.ts'

describe('the rate of control packets', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** Sends a packet whenever the rate allows it, and counts the packets. */
  function sender(rate: ReturnType<typeof createPacketRate>, bytes: number) {
    const sent = { packets: 0 }
    const resume = () => {
      while (rate.take(bytes, resume)) sent.packets++
    }
    resume()
    return sent
  }

  it('[MQT-19] is about 2,000 a second for all clients of a sandbox together', () => {
    const rate = createPacketRate()
    const [one, two] = [sender(rate, 2), sender(rate, 2)]
    vi.advanceTimersByTime(10_000)
    expect(one.packets + two.packets).toBeGreaterThan(19_000)
    expect(one.packets + two.packets).toBeLessThan(21_000)
    expect(Math.abs(one.packets - two.packets)).toBeLessThan(100)
  })

  it('[MQT-19] counts packets with long lists of filters by their bytes', () => {
    const lists = sender(createPacketRate(), 16 * 1024)
    vi.advanceTimersByTime(10_000)
    expect(lists.packets).toBeGreaterThan(10)
    expect(lists.packets).toBeLessThan(25)
  })

  it('admits packets again after a pause', () => {
    const rate = createPacketRate()
    expect(rate.take(16 * 1024, () => undefined)).toBe(true)
    expect(rate.take(0, () => undefined)).toBe(false)
    vi.advanceTimersByTime(2_000)
    expect(rate.take(0, () => undefined)).toBe(true)
  })
})
