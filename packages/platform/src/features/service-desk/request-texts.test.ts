import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRequestIndex, type RequestIndex } from './request-index.ts'
import { startTestDesk, type TestDesk } from './testing/test-desk.ts'

let desk: TestDesk
/** An index with the default memory budget, and one with a budget of 0 bytes. */
let [whole, small]: RequestIndex[] = []
beforeAll(async () => {
  desk = await startTestDesk()
  ;[whole, small] = [createRequestIndex(desk.stack.db), createRequestIndex(desk.stack.db, 0)]
})
afterAll(() => desk.close())

const letters = () => Array.from({ length: 9 }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join('')
const words = (count: number) => Array.from({ length: count }, letters).join(' ')
async function find(index: RequestIndex | undefined, search: string): Promise<number[]> {
  const filter = { scope: null, now: desk.clock.now() }
  const found = await index!.list(filter, { limit: 200, offset: 0 }, search)
  expect(found?.total).toBe(found?.page.length)
  return found!.page.map(({ number }) => number)
}
const numberOf = ({ number }: { number: string }) => Number(number.slice(3))

describe('texts beyond the memory budget', () => {
  it('are found too', async () => {
    const made = [
      await desk.open({ title: 'Lift stands', description: 'between two floors, ŁÓDŹ 电梯故障' }),
      await desk.open({ title: 'Light 50% dim', description: words(1_000) }),
      await desk.open({ title: 'Door 007' }),
      await desk.open({ title: `As ${(await desk.open({ title: 'first' })).number} has it` }),
    ]
    const asked = [
      'lift',
      'if',
      'li',
      'l',
      'lodz 电梯',
      'loors between',
      '50',
      '007',
      'sr',
      'SR-000',
      'SR-1',
      'nowhere',
    ]
    for (const search of [...asked, ...made.map(({ number }) => number), made[3].number.slice(4)]) {
      expect(await find(small, search), search).toEqual(await find(whole, search))
    }
    expect(await find(small, 'lift FLOORS')).toEqual([numberOf(made[0])])
  })

  it('are found in their current version', async () => {
    const made = await desk.open({ title: 'gloomy' })
    expect([await find(small, 'gloomy'), await find(whole, 'gloomy')]).toEqual([[numberOf(made)], [numberOf(made)]])
    await desk.patch(made.id, { title: 'bright' })
    for (const index of [small, whole]) {
      expect([await find(index, 'gloomy'), await find(index, 'bright')]).toEqual([[], [numberOf(made)]])
    }
  })

  it('are found together with the texts that are in memory', async () => {
    const some = createRequestIndex(desk.stack.db, 1_200_000)
    const made = []
    for (let i = 0; i < 12; i++) made.push(await desk.open({ title: `b0x ${i}`, description: words(1_000) }))
    const boxes = made.map(numberOf).reverse()
    expect(await find(some, 'b0x')).toEqual(boxes)
    for (const [i, { id }] of made.entries()) if (i % 2 === 0) await desk.patch(id, { title: `cr4te ${i}` })
    expect(await find(some, 'b0x')).toEqual(boxes.filter((_, i) => i % 2 === 0))
    expect((await find(some, 'cr4te')).sort()).toEqual(boxes.filter((_, i) => i % 2 === 1).sort())
    for (const text of ['b0x', 'cr4te', 'ab', 'xyz']) expect(await find(some, text)).toEqual(await find(whole, text))
  })

  it('give no result if one of them changed during the search, so that the caller searches again', async () => {
    const { db } = desk.stack
    const made = await desk.open({ title: 'restless' })
    let isQuick = true
    const late: typeof db = {
      ...db,
      async row(statement) {
        if (isQuick && /max\(words_at\)/.test(statement.toQuery().text)) await desk.patch(made.id, { title: 'restful' })
        return db.row(statement)
      },
    }
    const index = createRequestIndex(late, 0)
    const ask = (search: string) => index.list({ scope: null, now: desk.clock.now() }, { limit: 9, offset: 0 }, search)
    expect(await ask('rest')).toBeUndefined()
    isQuick = false
    expect([(await ask('restless'))?.total, (await ask('restful'))?.total]).toEqual([0, 1])
  })

  it('are still found after most of the texts in memory have become outdated', async () => {
    const index = createRequestIndex(desk.stack.db, 8_000_000)
    const made = await desk.open({ title: 'often', description: words(900) })
    expect(await find(index, 'often')).toEqual([numberOf(made)])
    for (let i = 0; i < 130; i++) {
      await desk.patch(made.id, { title: `often ${i}`, description: words(900) })
      await find(index, `often ${i}`)
    }
    expect(await find(index, 'often')).toEqual([numberOf(made)])
    for (const text of ['b0x', 'cr4te', 'often 129', 'often 12']) {
      expect(await find(index, text)).toEqual(await find(whole, text))
    }
  })
})
