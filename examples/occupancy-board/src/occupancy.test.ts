import { describe, expect, it } from 'vitest'
import { occupancyOf, SILENT_AFTER_MS, type Signals } from './occupancy.ts'

const NOW = Date.UTC(2026, 0, 15, 9)
const ago = (minutes: number) => NOW - minutes * 60_000
const reading = (value: number, minutes: number) => ({ value, at: ago(minutes) })
const at = (capacity: number, signals: Signals, lastDataAt = NOW) =>
  occupancyOf(capacity, signals, { now: NOW, lastDataAt })

describe('the occupancy of a room', () => {
  it('depends on the count and the capacity', () => {
    expect(at(10, { counter: reading(0, 1) })).toEqual({ state: 'free', count: 0, at: ago(1) })
    expect(at(10, { counter: reading(8, 1) })).toMatchObject({ state: 'filling', count: 8 })
    expect(at(10, { counter: reading(9, 1) }).state).toBe('full')
    expect(at(10, { counter: reading(12, 1) }).state).toBe('full')
  })

  it('is in use if somebody is present and there is no count, and full if the capacity is one', () => {
    expect(at(6, { presence: reading(1, 1) })).toMatchObject({ state: 'used', count: undefined })
    expect(at(1, { presence: reading(1, 1) })).toMatchObject({ state: 'full', count: 1 })
    expect(at(6, { presence: reading(0, 600) })).toMatchObject({ state: 'free', count: 0 })
  })

  it('uses the newest signal, and keeps a count that the presence sensor does not contradict', () => {
    expect(at(6, { wifi: reading(3, 5), presence: reading(0, 1) }).count).toBe(0)
    expect(at(6, { wifi: reading(3, 5), presence: reading(1, 1) }).count).toBe(3)
    expect(at(6, { wifi: reading(0, 5), presence: reading(1, 1) })).toMatchObject({ state: 'used', count: undefined })
    expect(at(6, { wifi: reading(2, 1), counter: reading(4, 3) }).count).toBe(2)
  })

  it('is unknown without a signal, when the only signal is a silent counter, and when the whole building is silent', () => {
    const minutes = SILENT_AFTER_MS / 60_000 + 1
    expect(at(6, {})).toEqual({ state: 'unknown', count: undefined, at: undefined })
    expect(at(6, { counter: reading(4, minutes) })).toMatchObject({ state: 'unknown', count: 4 })
    expect(at(6, { counter: reading(4, minutes), presence: reading(0, 90) }).state).toBe('free')
    expect(at(6, { presence: reading(0, 90) }, ago(minutes))).toMatchObject({ state: 'unknown', count: 0 })
  })
})
