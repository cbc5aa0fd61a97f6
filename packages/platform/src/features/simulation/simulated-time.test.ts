import { describe, expect, it } from 'vitest'
import {
  afterArrival,
  afterCommand,
  afterDeparture,
  limitLag,
  markSent,
  type SimulationState,
  simulatedAt,
  timestampOf,
} from './simulated-time.ts'

const NOON = Date.UTC(2026, 2, 3, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const start = (speed = 1, at = NOON) => afterCommand(undefined, { running: true, speed }, at)

describe('the time of a simulated building', () => {
  it('is the real time at speed 1, with real timestamps', () => {
    const state = start()
    expect(simulatedAt(state, NOON + HOUR)).toBe(NOON + HOUR)
    expect(timestampOf(state, NOON + HOUR)).toBe(NOON + HOUR)
  })

  it('changes its speed without a jump, and unsent time keeps the old speed', () => {
    const sent = markSent(start(600), NOON + 5 * HOUR)
    const slow = afterCommand(sent, { speed: 2 }, NOON + MINUTE)
    expect(simulatedAt(slow, NOON + MINUTE)).toBe(NOON + 10 * HOUR)
    expect(simulatedAt(slow, NOON + 2 * MINUTE)).toBe(NOON + 10 * HOUR + 2 * MINUTE)
    expect(timestampOf(slow, NOON + 7 * HOUR)).toBe(NOON + 42_000)
    expect(timestampOf(slow, NOON + 10 * HOUR)).toBe(NOON + MINUTE)
    expect(timestampOf(slow, NOON + 10 * HOUR + MINUTE)).toBe(NOON + MINUTE + MINUTE / 2)
  })

  it.each([1, 60])('[SIM-06] continues immediately, at speed %d, when a clock that was ahead is set back', (speed) => {
    const ahead = NOON + 30 * 24 * HOUR
    const reported = limitLag(start(speed), ahead)
    const sent = markSent(reported, simulatedAt(reported, ahead))
    for (const state of [sent, afterCommand(sent, { speed: speed + 1 }, ahead)]) {
      const back = limitLag(state, NOON + MINUTE)
      const from = Math.max(state.sentUntilMs, state.anchorSimulatedMs)
      expect(simulatedAt(back, NOON + MINUTE)).toBe(from)
      expect(simulatedAt(back, NOON + 2 * MINUTE)).toBe(from + state.speed * MINUTE)
      expect(timestampOf(back, from + state.speed * MINUTE)).toBe(NOON + 2 * MINUTE)
      expect(limitLag(back, NOON + MINUTE + 5_000)).toBe(back)
    }
  })

  it.each([
    [1_000, 24 * HOUR],
    [10_000, 2.5 * HOUR],
    [100_000, 0.25 * HOUR],
  ])('[SIM-08] with %d points catches up on at most %d ms after an automatic start', (points, longest) => {
    const extent = { historyEndMs: NOON, points }
    const later = NOON + 40 * 24 * HOUR
    const started = afterArrival(undefined, extent, later)!
    expect(started).toMatchObject({ running: true, automatic: true, speed: 1, sentUntilMs: later - longest })
    expect(limitLag(started, later + 60_000)).toBe(started)
    expect(timestampOf(started, later)).toBe(later)
    const paused = afterDeparture(markSent(started, later), later)!
    expect(paused).toMatchObject({ running: false, automatic: true, anchorSimulatedMs: later })
    expect(afterArrival(paused, extent, later + MINUTE)).toMatchObject({ sentUntilMs: later, sentRealMs: later })
    expect(afterArrival(started, extent, later)).toBeUndefined()
  })

  it('never has timestamps ahead of the clock or out of order, for any sequence of commands', () => {
    let state: SimulationState = start(7.3)
    let last = 0
    for (let i = 1, now = NOON; i < 200; i++) {
      now += 137 * i
      const target = simulatedAt(state, now)
      // When a command arrives, nothing, half or all of the time until now may have been sent.
      const sent = state.sentUntilMs + Math.floor(((target - state.sentUntilMs) * (i % 3)) / 2)
      for (const at of [state.sentUntilMs + 1, Math.floor((state.sentUntilMs + sent) / 2), sent]) {
        if (at <= state.sentUntilMs || at > sent) continue
        const stamp = timestampOf(state, at)
        expect(stamp).toBeGreaterThanOrEqual(last)
        expect(stamp).toBeLessThanOrEqual(now)
        last = stamp
        state = markSent(state, at)
      }
      state = afterCommand(state, { speed: 1 + ((i * 13) % 599), running: i % 11 > 0 }, now)
    }
    expect(last).toBeGreaterThan(NOON)
  })

  it('does not run while stopped, continues at the current time, and never runs backwards', () => {
    const stopped = afterCommand(start(), { running: false }, NOON + HOUR)
    expect(simulatedAt(stopped, NOON + 5 * HOUR)).toBe(NOON + HOUR)
    const again = afterCommand(stopped, { running: true }, NOON + 5 * HOUR)
    expect(again).toMatchObject({ sentUntilMs: NOON + 5 * HOUR, startedMs: NOON + 5 * HOUR })
    const ahead = afterCommand(start(600), { running: false }, NOON + HOUR)
    const continued = afterCommand(ahead, { running: true, speed: 1 }, NOON + 2 * HOUR)
    expect(simulatedAt(continued, NOON + 3 * HOUR)).toBe(NOON + 601 * HOUR)
  })

  it('does not change with a command that matches the state', () => {
    const state = start(10)
    for (const command of [{ running: true }, { speed: 10 }, { running: true, speed: 10 }]) {
      expect(afterCommand(state, command, NOON + HOUR)).toBe(state)
    }
  })

  it('catches up on hours without a process, but not on days', () => {
    expect(limitLag(start(), NOON + 5 * HOUR)).toMatchObject({ sentUntilMs: NOON })
    expect(limitLag(start(), NOON + 50 * HOUR)).toMatchObject({ sentUntilMs: NOON + 50 * HOUR })
  })

  it('pauses at speeds other than 1 while no process runs', () => {
    const state = start(600)
    expect(limitLag(state, NOON + 9_000)).toBe(state)
    const late = limitLag(state, NOON + 11_000)
    expect(simulatedAt(late, NOON + 11_000)).toBe(NOON)
    expect(timestampOf(late, NOON + HOUR)).toBe(NOON + 11_000 + 6000)
  })
})
