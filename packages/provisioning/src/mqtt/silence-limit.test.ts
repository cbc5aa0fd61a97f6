import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SilenceLimit } from './silence-limit.ts'

describe('the limit of silence', () => {
  let silences = 0
  let limit: SilenceLimit
  beforeEach(() => {
    vi.useFakeTimers()
    silences = 0
    limit = new SilenceLimit(() => silences++)
    limit.begin(3_000)
  })
  afterEach(() => void vi.useRealTimers())

  it('[DIR-34] starts again at each packet, and counts the silence while another process had the connection', () => {
    vi.advanceTimersByTime(2_000)
    limit.restart()
    vi.advanceTimersByTime(2_900)
    expect(silences).toBe(0)
    limit.stop()
    vi.advanceTimersByTime(60_000)
    limit.continueAfter(2_500)
    vi.advanceTimersByTime(499)
    expect(silences).toBe(0)
    vi.advanceTimersByTime(1)
    expect(silences).toBe(1)
  })

  it('[DIR-34] applies in full again after the first packet since the connection came back', () => {
    limit.stop()
    limit.continueAfter(2_500)
    limit.restart()
    vi.advanceTimersByTime(2_999)
    expect(silences).toBe(0)
    vi.advanceTimersByTime(1)
    expect(silences).toBe(1)
  })

  it('is never reached if it is 0', () => {
    const none = new SilenceLimit(() => silences++)
    none.begin(0)
    none.continueAfter(9_000)
    none.restart()
    limit.stop()
    vi.advanceTimersByTime(3_600_000)
    expect(silences).toBe(0)
  })
})
