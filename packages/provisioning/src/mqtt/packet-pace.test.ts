import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPacketPace } from './packet-pace.ts'

describe('the pace of packets beside messages', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** Sends whenever it may, and counts. */
  function sender(pace: ReturnType<typeof createPacketPace>, bytes: number) {
    const sent = { packets: 0 }
    const goOn = () => {
      while (pace.take(bytes, goOn)) sent.packets++
    }
    goOn()
    return sent
  }

  it('[MQT-19] is some 2,000 a second for all clients of a sandbox, in turns', () => {
    const pace = createPacketPace()
    const [one, two] = [sender(pace, 2), sender(pace, 2)]
    vi.advanceTimersByTime(10_000)
    expect(one.packets + two.packets).toBeGreaterThan(19_000)
    expect(one.packets + two.packets).toBeLessThan(21_000)
    expect(Math.abs(one.packets - two.packets)).toBeLessThan(100)
  })

  it('[MQT-19] counts long lists by their length', () => {
    const lists = sender(createPacketPace(), 16 * 1024)
    vi.advanceTimersByTime(10_000)
    expect(lists.packets).toBeGreaterThan(10)
    expect(lists.packets).toBeLessThan(25)
  })

  it('starts anew after a silence', () => {
    const pace = createPacketPace()
    expect(pace.take(16 * 1024, () => undefined)).toBe(true)
    expect(pace.take(0, () => undefined)).toBe(false)
    vi.advanceTimersByTime(2_000)
    expect(pace.take(0, () => undefined)).toBe(true)
  })
})
