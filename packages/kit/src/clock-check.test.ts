import { describe, expect, it, vi } from 'vitest'
import { movableClock } from './clock.ts'
import { createClockCheck } from './clock-check.ts'
import { silentLog } from './log.ts'

const MINUTE_MS = 60_000
const MONTH_MS = 30 * 86_400_000
const start = new Date('2026-06-01T00:00:00Z')

function clocks() {
  const clock = movableClock(start)
  const server = movableClock(start)
  const log = { ...silentLog, warn: vi.fn(), info: vi.fn() }
  const check = createClockCheck({
    clock,
    serverTime: async () => server.now(),
    elapsedMs: clock.elapsedMs,
    log: log as unknown as typeof silentLog,
  })
  const pass = (ms: number) => {
    clock.advance(ms)
    server.advance(ms)
  }
  return { clock, server, check, pass, log }
}

describe('the clock check', () => {
  it('allows expiry after 20 seconds of agreeing clocks, and permanent removal after ten minutes', async () => {
    const { check, pass } = clocks()
    expect(await check.compare()).toMatchObject({ mayExpire: false, mayRemove: false })
    pass(20_000)
    expect(await check.compare()).toMatchObject({ mayExpire: true, mayRemove: false })
    pass(10 * MINUTE_MS)
    expect(await check.compare()).toMatchObject({ mayExpire: true, mayRemove: true })
    expect(check.state()).toEqual({ agree: true, differenceMs: 0 })
  })

  it('allows nothing while one clock is ahead of the other, and logs one warning', async () => {
    const { check, pass, server, clock, log } = clocks()
    await check.compare()
    pass(MINUTE_MS)
    server.set(new Date(server.now().getTime() + MONTH_MS))
    for (let i = 0; i < 3; i++) expect(await check.compare()).toBeUndefined()
    expect(check.state()).toEqual({ agree: false, differenceMs: -MONTH_MS })
    expect(log.warn).toHaveBeenCalledTimes(1)
    server.set(clock.now())
    expect(await check.compare()).toBeUndefined()
    expect(await check.compare()).toMatchObject({ mayExpire: false, mayRemove: false })
    expect(log.info).toHaveBeenCalledTimes(1)
    pass(5 * MINUTE_MS)
    expect(await check.compare()).toMatchObject({ mayExpire: true, mayRemove: false })
  })

  it('allows nothing after both clocks jumped together, as they do if they are on one machine', async () => {
    const { check, pass, server, clock, log } = clocks()
    await check.compare()
    pass(11 * MINUTE_MS)
    expect(await check.compare()).toMatchObject({ mayRemove: true })
    for (const change of [MONTH_MS, -MONTH_MS]) {
      for (const each of [clock, server]) each.set(new Date(each.now().getTime() + change))
      expect(await check.compare()).toBeUndefined()
      pass(5_000)
      expect(await check.compare()).toMatchObject({ mayExpire: false, mayRemove: false })
    }
    expect(log.warn).toHaveBeenCalledTimes(2)
  })

  function recordOf(at: Date) {
    const record = {
      at,
      writes: 0,
      read: async () => record.at,
      write: async (now: Date) => {
        record.at = now
        record.writes++
      },
    }
    return record
  }

  for (const gapMs of [MONTH_MS, -MONTH_MS]) {
    it(`[SBX-64] allows expiry only after five minutes, as after a jump, if the clocks start ${gapMs > 0 ? 'far ahead of' : 'far behind'} the last trusted time`, async () => {
      const { check, pass, log } = clocks()
      const before = new Date(start.getTime() - gapMs)
      const record = recordOf(before)
      await check.continueFrom(record)
      expect(await check.compare()).toMatchObject({ mayExpire: false, mayRemove: false })
      pass(5 * MINUTE_MS - 1)
      expect(await check.compare()).toMatchObject({ mayExpire: false, mayRemove: false })
      expect(record.at).toEqual(before)
      pass(1)
      expect(await check.compare()).toMatchObject({ mayExpire: true, mayRemove: false })
      expect(record.at).toEqual(new Date(start.getTime() + 5 * MINUTE_MS))
      pass(5 * MINUTE_MS)
      expect(await check.compare()).toMatchObject({ mayExpire: true, mayRemove: true })
      expect(log.warn).toHaveBeenCalledTimes(1)
    })
  }

  it('[SBX-64] waits only 20 seconds after a usual restart, and records the time every ten minutes while it is trusted', async () => {
    const { check, pass, clock, server, log } = clocks()
    const record = recordOf(new Date(start.getTime() - 3 * 60 * MINUTE_MS))
    await check.continueFrom(record)
    await check.compare()
    expect(record.writes).toBe(0)
    pass(20_000)
    expect(await check.compare()).toMatchObject({ mayExpire: true })
    expect(record.at).toEqual(clock.now())
    for (let i = 0; i < 20; i++) {
      pass(MINUTE_MS)
      await check.compare()
    }
    expect(record.writes).toBe(3)
    expect(log.warn).not.toHaveBeenCalled()
    const trusted = record.at
    for (const each of [clock, server]) each.set(new Date(each.now().getTime() + MONTH_MS))
    await check.compare()
    pass(MINUTE_MS)
    await check.compare()
    expect(record.at).toEqual(trusted)
  })

  it('ignores a response that took too long', async () => {
    const { clock } = clocks()
    const slow = createClockCheck({
      clock,
      serverTime: async () => {
        clock.advance(11_000)
        return clock.now()
      },
      elapsedMs: clock.elapsedMs,
      log: silentLog,
    })
    expect(await slow.compare()).toBeUndefined()
  })
})
