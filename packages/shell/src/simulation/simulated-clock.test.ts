import { describe, expect, it } from 'vitest'
import { remainingOf, simulatedNow } from './simulated-clock.ts'

const READ_AT = Date.parse('2026-03-03T10:00:00Z')
const state = (running: boolean, speed = 60) => ({
  record: { running, automatic: false, speed, startedAt: null, simulatedAt: '2026-03-05T12:00:00.000Z', faults: [] },
  readAt: READ_AT,
})
const fault = { startsAt: '2026-03-05T11:00:00.000Z', endsAt: '2026-03-05T15:00:00.000Z' }

describe('simulated time', () => {
  it('runs at the speed of the simulation, and does not advance while the simulation is stopped', () => {
    expect(new Date(simulatedNow(state(true), READ_AT + 60_000)!).toISOString()).toBe('2026-03-05T13:00:00.000Z')
    expect(new Date(simulatedNow(state(false), READ_AT + 60_000)!).toISOString()).toBe('2026-03-05T12:00:00.000Z')
  })

  it('does not run backwards when the clock of the browser is set back', () => {
    expect(simulatedNow(state(true), READ_AT - 5_000)).toBe(Date.parse('2026-03-05T12:00:00Z'))
  })

  it('is unknown if the building was never simulated', () => {
    const { record, readAt } = state(false)
    expect(simulatedNow({ record: { ...record, simulatedAt: null }, readAt }, READ_AT)).toBeUndefined()
  })
})

describe('the remaining time of an injected fault', () => {
  it('is shorter in real time than in simulated time at a speed above 1', () => {
    expect(remainingOf(fault, state(true), READ_AT)).toEqual({ simulatedMs: 10_800_000, realMs: 180_000, share: 0.25 })
  })

  it('is unknown in real time while the simulation is stopped', () => {
    expect(remainingOf(fault, state(false), READ_AT).realMs).toBeUndefined()
  })

  it('is never negative', () => {
    expect(remainingOf(fault, state(true), READ_AT + 86_400_000)).toEqual({ simulatedMs: 0, realMs: 0, share: 1 })
  })
})
