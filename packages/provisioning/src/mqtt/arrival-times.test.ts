import { movableClock } from '@storey/kit/clock'
import { describe, expect, it } from 'vitest'
import { createArrivalTimes } from './arrival-times.ts'

const START = Date.parse('2026-03-02T08:00:00.000Z')

describe('the times of arrival of one client’s messages', () => {
  it('[MQT-22] follow the clock, and differ for messages of the same millisecond', () => {
    const clock = movableClock(new Date(START))
    const next = createArrivalTimes(clock)
    const after = () => next().getTime() - START
    expect([after(), after(), after()]).toEqual([0, 1, 2])
    clock.advance(10)
    expect([after(), after()]).toEqual([10, 11])
  })

  it('stay in order while the clock is a little behind, and follow a clock that was set back far', () => {
    const clock = movableClock(new Date(START + 3_600_000))
    const next = createArrivalTimes(clock)
    next()
    clock.advance(-50)
    expect(next()).toEqual(new Date(START + 3_600_001))
    clock.set(new Date(START))
    expect(next()).toEqual(new Date(START))
  })
})
