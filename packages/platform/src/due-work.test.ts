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

/** Parts that are due when the test says so. */
function dueWork(moments: (Date | null | Error)[], everyMs = 5) {
  const clock = movableClock(START)
  const work = createDueWork({ clock, log: silentLog, soonMs: 1, everyMs })
  open = work
  moments.forEach((_, i) => {
    work.register(async () => {
      const moment = moments[i]!
      if (moment instanceof Error) throw moment
      return moment
    })
  })
  const told: (Date | null)[] = []
  return { work, clock, told, tell: (moment: Date | null) => void told.push(moment) }
}

describe('due work', () => {
  it('is the earliest of all parts, and nothing where no part has any', async () => {
    expect(await dueWork([at(9), null, at(3), at(5)]).work.earliest()).toEqual(at(3))
    expect(await dueWork([null, null]).work.earliest()).toBeNull()
    expect(await dueWork([]).work.earliest()).toBeNull()
  })

  it('is told at the start, and when it is another', async () => {
    const moments: (Date | null)[] = [null]
    const { work, told, tell } = dueWork(moments)
    work.start(tell)
    await expect.poll(() => told).toEqual([null])
    moments[0] = at(5)
    await expect.poll(() => told).toEqual([null, at(5)])
    moments[0] = null
    await expect.poll(() => told).toEqual([null, at(5), null])
  })

  it('is looked at soon after a change, whenever the next look would be', async () => {
    const moments: (Date | null)[] = [null]
    const { work, told, tell } = dueWork(moments, 3_600_000)
    work.start(tell)
    await expect.poll(() => told).toEqual([null])
    moments[0] = at(1)
    work.changed()
    work.changed()
    await expect.poll(() => told).toEqual([null, at(1)])
    moments[0] = at(2)
    work.changed()
    await expect.poll(() => told).toEqual([null, at(1), at(2)])
  })

  it('is told once as long as it is behind', async () => {
    const moments = [at(-3)]
    const { work, told, tell, clock } = dueWork(moments)
    work.start(tell)
    await expect.poll(() => told).toEqual([at(-3)])
    clock.advance(600_000)
    moments[0] = at(9)
    await new Promise((resolve) => setTimeout(resolve, 40))
    expect(told).toEqual([at(-3)])
    moments[0] = at(11)
    await expect.poll(() => told).toEqual([at(-3), at(11)])
  })

  it('is told a last time at the end, before what it is read from is closed', async () => {
    const moments: (Date | null)[] = [null]
    const { work, told, tell } = dueWork(moments, 3_600_000)
    work.start(tell)
    await expect.poll(() => told).toEqual([null])
    moments[0] = at(60)
    await work.close()
    expect(told).toEqual([null, at(60)])
  })

  it('is told at the end also when it is the same', async () => {
    const { work, told, tell } = dueWork([at(60)], 3_600_000)
    work.start(tell)
    await expect.poll(() => told).toEqual([at(60)])
    await work.close()
    expect(told).toEqual([at(60), at(60)])
  })

  it('stays as it was told while it cannot be read', async () => {
    const moments: (Date | Error)[] = [at(5)]
    const { work, told, tell } = dueWork(moments)
    work.start(tell)
    await expect.poll(() => told).toEqual([at(5)])
    moments[0] = new Error('no database')
    await new Promise((resolve) => setTimeout(resolve, 40))
    moments[0] = at(6)
    await expect.poll(() => told).toEqual([at(5), at(6)])
  })

  it('is nobody’s business before it is started', async () => {
    const { work, told } = dueWork([at(1)])
    work.changed()
    await work.close()
    expect(told).toEqual([])
  })
})
