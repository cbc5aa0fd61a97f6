import { describe, expect, it } from 'vitest'
import { type Course, ordered, sentTo, simulatedAt, stampOf, withinReach } from './simulated-time.ts'

const NOON = Date.UTC(2026, 2, 3, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const start = (speed = 1, at = NOON) => ordered(undefined, { running: true, speed }, at)

describe('the time of a simulated building', () => {
  it('is the real time at speed 1, and bears it', () => {
    const course = start()
    expect(simulatedAt(course, NOON + HOUR)).toBe(NOON + HOUR)
    expect(stampOf(course, NOON + HOUR)).toBe(NOON + HOUR)
  })

  it('changes its pace without a jump, and what was not yet sent keeps the old pace', () => {
    const sent = sentTo(start(600), NOON + 5 * HOUR)
    const slow = ordered(sent, { speed: 2 }, NOON + MINUTE)
    expect(simulatedAt(slow, NOON + MINUTE)).toBe(NOON + 10 * HOUR)
    expect(simulatedAt(slow, NOON + 2 * MINUTE)).toBe(NOON + 10 * HOUR + 2 * MINUTE)
    expect(stampOf(slow, NOON + 7 * HOUR)).toBe(NOON + 42_000)
    expect(stampOf(slow, NOON + 10 * HOUR)).toBe(NOON + MINUTE)
    expect(stampOf(slow, NOON + 10 * HOUR + MINUTE)).toBe(NOON + MINUTE + MINUTE / 2)
  })

  it.each([1, 60])('[SIM-06] goes on at once, at speed %d, when a clock that was ahead is put back', (speed) => {
    const ahead = NOON + 30 * 24 * HOUR
    const told = withinReach(start(speed), ahead)
    const sent = sentTo(told, simulatedAt(told, ahead))
    for (const course of [sent, ordered(sent, { speed: speed + 1 }, ahead)]) {
      const back = withinReach(course, NOON + MINUTE)
      const from = Math.max(course.sentUntilMs, course.anchorSimulatedMs)
      expect(simulatedAt(back, NOON + MINUTE)).toBe(from)
      expect(simulatedAt(back, NOON + 2 * MINUTE)).toBe(from + course.speed * MINUTE)
      expect(stampOf(back, from + course.speed * MINUTE)).toBe(NOON + 2 * MINUTE)
      expect(withinReach(back, NOON + MINUTE + 5_000)).toBe(back)
    }
  })

  it('never stamps ahead of the clock, nor one instant before an earlier one, through any orders', () => {
    let course: Course = start(7.3)
    let last = 0
    for (let i = 1, now = NOON; i < 200; i++) {
      now += 137 * i
      const target = simulatedAt(course, now)
      // Now and then an order comes before anything was sent, and now and then in the middle of it.
      const sent = course.sentUntilMs + Math.floor(((target - course.sentUntilMs) * (i % 3)) / 2)
      for (const at of [course.sentUntilMs + 1, Math.floor((course.sentUntilMs + sent) / 2), sent]) {
        if (at <= course.sentUntilMs || at > sent) continue
        const stamp = stampOf(course, at)
        expect(stamp).toBeGreaterThanOrEqual(last)
        expect(stamp).toBeLessThanOrEqual(now)
        last = stamp
        course = sentTo(course, at)
      }
      course = ordered(course, { speed: 1 + ((i * 13) % 599), running: i % 11 > 0 }, now)
    }
    expect(last).toBeGreaterThan(NOON)
  })

  it('stands still while stopped, goes on at the present, and never runs backwards', () => {
    const stopped = ordered(start(), { running: false }, NOON + HOUR)
    expect(simulatedAt(stopped, NOON + 5 * HOUR)).toBe(NOON + HOUR)
    const again = ordered(stopped, { running: true }, NOON + 5 * HOUR)
    expect(again).toMatchObject({ sentUntilMs: NOON + 5 * HOUR, startedMs: NOON + 5 * HOUR })
    const ahead = ordered(start(600), { running: false }, NOON + HOUR)
    const goesOn = ordered(ahead, { running: true, speed: 1 }, NOON + 2 * HOUR)
    expect(simulatedAt(goesOn, NOON + 3 * HOUR)).toBe(NOON + 601 * HOUR)
  })

  it('does not change by an order that says what is so', () => {
    const course = start(10)
    for (const order of [{ running: true }, { speed: 10 }, { running: true, speed: 10 }]) {
      expect(ordered(course, order, NOON + HOUR)).toBe(course)
    }
  })

  it('makes up for hours that nobody recorded, and not for days', () => {
    expect(withinReach(start(), NOON + 5 * HOUR)).toMatchObject({ sentUntilMs: NOON })
    expect(withinReach(start(), NOON + 50 * HOUR)).toMatchObject({ sentUntilMs: NOON + 50 * HOUR })
  })

  it('stands still, at a pace of its own, while nobody records it', () => {
    const course = start(600)
    expect(withinReach(course, NOON + 9_000)).toBe(course)
    const late = withinReach(course, NOON + 11_000)
    expect(simulatedAt(late, NOON + 11_000)).toBe(NOON)
    expect(stampOf(late, NOON + HOUR)).toBe(NOON + 11_000 + 6000)
  })
})
