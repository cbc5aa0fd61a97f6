import { describe, expect, it } from 'vitest'
import { movableClock } from './clock.ts'
import { silentLog } from './log.ts'
import { createSteadyClock } from './steady-clock.ts'

const DAY_MS = 86_400_000
const START = new Date('2026-03-01T12:00:00Z')

function machine() {
  const clock = movableClock(START)
  let sleptMs = 0
  const parts = { clock, elapsedMs: clock.elapsedMs, sinceBootMs: () => clock.elapsedMs() + sleptMs, log: silentLog }
  const jump = (ms: number) => clock.set(new Date(clock.now().getTime() + ms))
  const sleep = (ms: number) => {
    sleptMs += ms
    jump(ms)
  }
  return { clock, parts, jump, sleep }
}
const after = (ms: number) => new Date(START.getTime() + ms)

describe('steady clock', () => {
  it.each([5 * 60_000, 30 * DAY_MS, -30 * DAY_MS])(
    '[STK-21] does not follow a clock that jumps by %d ms and returns',
    (ms) => {
      const { clock, parts, jump } = machine()
      const steady = createSteadyClock(parts)
      clock.advance(1_000)
      jump(ms)
      clock.advance(10_000)
      expect(steady.now()).toEqual(after(11_000))
      jump(-ms)
      clock.advance(1_000)
      expect(steady.now()).toEqual(after(12_000))
    },
  )

  it('follows small corrections immediately, even many of them', () => {
    const { clock, parts, jump } = machine()
    const steady = createSteadyClock(parts)
    for (let i = 0; i < 10; i++) {
      clock.advance(20_000)
      jump(30_000)
      expect(steady.now()).toEqual(clock.now())
    }
  })

  it.each([30 * 60_000, -30 * 60_000])(
    '`latest` is the later of `now` and the machine’s time during a jump of %d ms',
    (ms) => {
      const { clock, parts, jump } = machine()
      const steady = createSteadyClock(parts)
      expect(steady.latest()).toEqual(START)
      jump(ms)
      clock.advance(10_000)
      expect(steady.latest()).toEqual(after(10_000 + Math.max(ms, 0)))
    },
  )

  it('accepts a jump after the clock has kept the new time for five minutes', () => {
    const { clock, parts, jump } = machine()
    const steady = createSteadyClock(parts)
    jump(DAY_MS)
    expect(steady.now()).toEqual(START)
    clock.advance(4 * 60_000)
    expect(steady.now()).toEqual(after(4 * 60_000))
    clock.advance(60_000)
    expect(steady.now()).toEqual(clock.now())
  })

  it.each([40, -40])(
    '[STK-35] accepts a correction soon after a start with a clock that was wrong by %d days, also in stacks',
    (days) => {
      const { clock, parts, jump } = machine()
      const trusted = new Date(START.getTime() - days * DAY_MS)
      const steady = createSteadyClock(parts)
      steady.checkStart(trusted)
      const stack = createSteadyClock({ ...parts, anchor: steady.anchor() })
      clock.advance(20_000)
      jump(-days * DAY_MS)
      expect([steady.now(), stack.now()]).toEqual([clock.now(), clock.now()])
      expect(steady.anchor()).not.toHaveProperty('trustedMs')
    },
  )

  it.each([
    ['it goes beyond the last trusted time', 40, -50, 20_000],
    ['it goes further ahead', 40, 5, 20_000],
    ['it comes late', 40, -40, 6 * 60_000],
    ['the start was near the last trusted time', 0.1, -0.1, 20_000],
  ])('[STK-35] does not accept a jump after a start as a correction if %s', (_, aheadDays, jumpDays, afterMs) => {
    const { clock, parts, jump } = machine()
    const steady = createSteadyClock(parts)
    steady.checkStart(new Date(START.getTime() - aheadDays * DAY_MS))
    clock.advance(afterMs)
    expect(steady.now()).toEqual(after(afterMs))
    jump(jumpDays * DAY_MS)
    expect(steady.now()).toEqual(after(afterMs))
  })

  it('waits another five minutes when the clock jumps again while it waits', () => {
    const { clock, parts, jump } = machine()
    const steady = createSteadyClock(parts)
    for (let i = 0; i < 5; i++) {
      jump(DAY_MS)
      steady.now()
      clock.advance(2 * 60_000)
    }
    expect(steady.now()).toEqual(after(10 * 60_000))
  })

  it('follows the clock immediately after the machine slept', () => {
    const { clock, parts, sleep } = machine()
    const steady = createSteadyClock(parts)
    sleep(8 * 3_600_000)
    expect(steady.now()).toEqual(clock.now())
    expect(steady.now()).toEqual(after(8 * 3_600_000))
  })

  it('[STK-21] continues from the anchor of another process when it starts during a jump', () => {
    const { clock, parts, jump } = machine()
    const parent = createSteadyClock(parts)
    jump(30 * DAY_MS)
    const child = createSteadyClock({ ...parts, elapsedMs: () => clock.elapsedMs() + 7, anchor: parent.anchor() })
    clock.advance(2_000)
    expect(child.now()).toEqual(after(2_000))
    jump(-30 * DAY_MS)
    expect(child.now()).toEqual(after(2_000))
  })

  it('ignores an anchor from before a reboot', () => {
    const { parts } = machine()
    const steady = createSteadyClock({ ...parts, anchor: { wallMs: 0, sinceBootMs: 9_000 } })
    expect(steady.now()).toEqual(START)
  })
})
