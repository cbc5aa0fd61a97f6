import { describe, expect, it } from 'vitest'
import { afterCommand, type Course, limitLag, sentTo, simulatedAt, stampOf } from './simulated-time.ts'

const NOON = Date.UTC(2026, 2, 3, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const start = (speed = 1, at = NOON) => afterCommand(undefined, { running: true, speed }, at)

describe('the time of a simulated building', () => {
  it('is the real time at speed 1, with real timestamps', () => {
    const course = start()
    expect(simulatedAt(course, NOON + HOUR)).toBe(NOON + HOUR)
    expect(stampOf(course, NOON + HOUR)).toBe(NOON + HOUR)
  })

  it('changes its speed without a jump, and unsent time keeps the old speed', () => {
    const sent = sentTo(start(600), NOON + 5 * HOUR)
    const slow = afterCommand(sent, { speed: 2 }, NOON + MINUTE)
    expect(simulatedAt(slow, NOON + MINUTE)).toBe(NOON + 10 * HOUR)
    expect(simulatedAt(slow, NOON + 2 * MINUTE)).toBe(NOON + 10 * HOUR + 2 * MINUTE)
    expect(stampOf(slow, NOON + 7 * HOUR)).toBe(NOON + 42_000)
    expect(stampOf(slow, NOON + 10 * HOUR)).toBe(NOON + MINUTE)
    expect(stampOf(slow, NOON + 10 * HOUR + MINUTE)).toBe(NOON + MINUTE + MINUTE / 2)
  })

  it.each([1, 60])('[SIM-06] continues at once, at speed %d, when a clock that was ahead is set back', (speed) => {
    const ahead = NOON + 30 * 24 * HOUR
    const reported = limitLag(start(speed), ahead)
    const sent = sentTo(reported, simulatedAt(reported, ahead))
    for (const course of [sent, afterCommand(sent, { speed: speed + 1 }, ahead)]) {
      const back = limitLag(course, NOON + MINUTE)
      const from = Math.max(course.sentUntilMs, course.anchorSimulatedMs)
      expect(simulatedAt(back, NOON + MINUTE)).toBe(from)
      expect(simulatedAt(back, NOON + 2 * MINUTE)).toBe(from + course.speed * MINUTE)
      expect(stampOf(back, from + course.speed * MINUTE)).toBe(NOON + 2 * MINUTE)
      expect(limitLag(back, NOON + MINUTE + 5_000)).toBe(back)
    }
  })

  it('has no timestamps ahead of the clock, nor out of order, through any commands', () => {
    let course: Course = start(7.3)
    let last = 0
    for (let i = 1, now = NOON; i < 200; i++) {
      now += 137 * i
      const target = simulatedAt(course, now)
      // Some commands come before anything was sent, and some in the middle of it.
      const sent = course.sentUntilMs + Math.floor(((target - course.sentUntilMs) * (i % 3)) / 2)
      for (const at of [course.sentUntilMs + 1, Math.floor((course.sentUntilMs + sent) / 2), sent]) {
        if (at <= course.sentUntilMs || at > sent) continue
        const stamp = stampOf(course, at)
        expect(stamp).toBeGreaterThanOrEqual(last)
        expect(stamp).toBeLessThanOrEqual(now)
        last = stamp
        course = sentTo(course, at)
      }
      course = afterCommand(course, { speed: 1 + ((i * 13) % 599), running: i % 11 > 0 }, now)
    }
    expect(last).toBeGreaterThan(NOON)
  })

  it('stands still while stopped, continues at the present, and never runs backwards', () => {
    const stopped = afterCommand(start(), { running: false }, NOON + HOUR)
    expect(simulatedAt(stopped, NOON + 5 * HOUR)).toBe(NOON + HOUR)
    const again = afterCommand(stopped, { running: true }, NOON + 5 * HOUR)
    expect(again).toMatchObject({ sentUntilMs: NOON + 5 * HOUR, startedMs: NOON + 5 * HOUR })
    const ahead = afterCommand(start(600), { running: false }, NOON + HOUR)
    const isActive = afterCommand(ahead, { running: true, speed: 1 }, NOON + 2 * HOUR)
    expect(simulatedAt(isActive, NOON + 3 * HOUR)).toBe(NOON + 601 * HOUR)
  })

  it('does not change by a command that matches the state', () => {
    const course = start(10)
    for (const order of [{ running: true }, { speed: 10 }, { running: true, speed: 10 }]) {
      expect(afterCommand(course, order, NOON + HOUR)).toBe(course)
    }
  })

  it('catches up hours without a process, and not days', () => {
    expect(limitLag(start(), NOON + 5 * HOUR)).toMatchObject({ sentUntilMs: NOON })
    expect(limitLag(start(), NOON + 50 * HOUR)).toMatchObject({ sentUntilMs: NOON + 50 * HOUR })
  })

  it('stands still, at another speed than 1, without a process', () => {
    const course = start(600)
    expect(limitLag(course, NOON + 9_000)).toBe(course)
    const late = limitLag(course, NOON + 11_000)
    expect(simulatedAt(late, NOON + 11_000)).toBe(NOON)
    expect(stampOf(late, NOON + HOUR)).toBe(NOON + 11_000 + 6000)
  })
})
