import { movableClock } from '@storey/kit/clock'
import { silentLog } from '@storey/kit/log'
import { afterEach, describe, expect, it } from 'vitest'
import { createDueWork, type DueWork } from './due-work.ts'

const START = new Date('2026-03-01T08:00:00Z')
const at = (minutes: number) => new Date(START.getTime() + minutes * 60_000)

let open: DueWork | undefined
afterEach(async () => {
  await open?.close()
  open = undefined
})

/** Due work with one part for each of these times. A part with an error fails. */
function dueWork(times: (Date | null | Error)[], everyMs = 5) {
  const clock = movableClock(START)
  const work = createDueWork({ clock, log: silentLog, soonMs: 1, everyMs })
  open = work
  times.forEach((_, i) => {
    work.register(async () => {
      const time = times[i]!
      if (time instanceof Error) throw time
      return time
    })
  })
  const reported: (Date | null)[] = []
  return { work, clock, reported, report: (time: Date | null) => void reported.push(time) }
}

describe('due work', () => {
  it('has the earliest due time of all parts, or null if no part has one', async () => {
    expect(await dueWork([at(9), null, at(3), at(5)]).work.earliest()).toEqual(at(3))
    expect(await dueWork([null, null]).work.earliest()).toBeNull()
    expect(await dueWork([]).work.earliest()).toBeNull()
  })

  it('is reported at the start, and when it changes', async () => {
    const times: (Date | null)[] = [null]
    const { work, reported, report } = dueWork(times)
    work.start(report)
    await expect.poll(() => reported).toEqual([null])
    times[0] = at(5)
    await expect.poll(() => reported).toEqual([null, at(5)])
    times[0] = null
    await expect.poll(() => reported).toEqual([null, at(5), null])
  })

  it('is checked soon after a change, even if the next regular check is far away', async () => {
    const times: (Date | null)[] = [null]
    const { work, reported, report } = dueWork(times, 3_600_000)
    work.start(report)
    await expect.poll(() => reported).toEqual([null])
    times[0] = at(1)
    work.changed()
    work.changed()
    await expect.poll(() => reported).toEqual([null, at(1)])
    times[0] = at(2)
    work.changed()
    await expect.poll(() => reported).toEqual([null, at(1), at(2)])
  })

  it('is reported once while it is overdue', async () => {
    const times = [at(-3)]
    const { work, reported, report, clock } = dueWork(times)
    work.start(report)
    await expect.poll(() => reported).toEqual([at(-3)])
    clock.advance(600_000)
    times[0] = at(9)
    await new Promise((resolve) => setTimeout(resolve, 40))
    expect(reported).toEqual([at(-3)])
    times[0] = at(11)
    await expect.poll(() => reported).toEqual([at(-3), at(11)])
  })

  it('is read again and reported when the stack stops', async () => {
    const times: (Date | null)[] = [null]
    const { work, reported, report } = dueWork(times, 3_600_000)
    work.start(report)
    await expect.poll(() => reported).toEqual([null])
    times[0] = at(60)
    await work.close()
    expect(reported).toEqual([null, at(60)])
  })

  it('is reported when the stack stops even if it has not changed', async () => {
    const { work, reported, report } = dueWork([at(60)], 3_600_000)
    work.start(report)
    await expect.poll(() => reported).toEqual([at(60)])
    await work.close()
    expect(reported).toEqual([at(60), at(60)])
  })

  it('is not reported while it cannot be read', async () => {
    const times: (Date | Error)[] = [at(5)]
    const { work, reported, report } = dueWork(times)
    work.start(report)
    await expect.poll(() => reported).toEqual([at(5)])
    times[0] = new Error('no database')
    await new Promise((resolve) => setTimeout(resolve, 40))
    times[0] = at(6)
    await expect.poll(() => reported).toEqual([at(5), at(6)])
  })

  it('is not reported before the start', async () => {
    const { work, reported } = dueWork([at(1)])
    work.changed()
    await work.close()
    expect(reported).toEqual([])
  })
})
