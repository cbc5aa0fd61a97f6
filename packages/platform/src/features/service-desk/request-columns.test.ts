import { REQUEST_STATES } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { createRequestColumns, type Filter, type ListedRow } from './request-columns.ts'
import { createWordIndex } from './word-index.ts'

/** Numbers without a pattern that shows. */
let seed = 1
function random(below: number): number {
  seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x6d2b79f5
  return ((seed ^ (seed >>> 12)) >>> 0) % below
}
const any = <T>(of: readonly T[]): T => of[random(of.length)]!
const IDS = ['a', 'b', 'c', 'd'].map((letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000`)

function row(number: number): ListedRow {
  return {
    ...{ number, buildingId: IDS[number % 2]!, state: any(REQUEST_STATES) },
    ...{ priority: any(['low', 'high']), category: any(['it', 'hvac']) },
    ...{ spaceId: any([null, ...IDS]), storeyId: any([null, ...IDS]), elementId: any([null, ...IDS]) },
    ...{ assignedUserId: any([null, 'ann', 'Ann', 'bob']), assignedTeamId: any([null, 'ann']) },
    ...{ lateAtMs: any([null, 50, 150]), updatedAtMs: number },
  }
}

function filter(): Filter {
  const maybe = <T>(of: readonly T[]) => (random(3) === 0 ? any(of) : undefined)
  const asked = {
    ...{ buildingId: maybe([...IDS, IDS[0]!.toUpperCase()]), state: maybe(REQUEST_STATES) },
    ...{ priority: maybe(['low', 'normal'] as const), category: maybe(['it'] as const) },
    ...{ spaceId: maybe(IDS), storeyId: maybe(IDS), elementId: maybe(IDS) },
    ...{ assignedUserId: maybe(['ann', 'nobody']), assignedTeamId: maybe(['ann']), overdue: maybe([true, false]) },
  }
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
  return { ...given, reach: any([null, null, [IDS[1]!], []]), now: new Date(100) }
}

/** The rule in its plainest form. */
function fits(one: ListedRow, { reach, now, overdue, ...asked }: Filter): boolean {
  const isLate = one.lateAtMs !== null && one.lateAtMs <= now.getTime()
  if (overdue !== undefined && overdue !== isLate) return false
  if (reach && !reach.includes(one.buildingId)) return false
  return Object.entries(asked).every(([name, value]) => {
    const wanted = name === 'buildingId' ? String(value).toLowerCase() : value
    return one[name as keyof ListedRow] === wanted
  })
}

describe('requests in memory', () => {
  it('are listed as a plain list would be, after any number of changes', () => {
    const columns = createRequestColumns()
    let plain: ListedRow[] = []
    const times = new Map<number, number>()
    for (let change = 0; change < 4_000; change++) {
      // Numbers have gaps, and most changes are those of requests that are there.
      const changed = row(1 + 3 * random(1 + Math.min(change, 60)))
      columns.put({ ...changed, updatedAtMs: change })
      times.set(changed.number, change)
      plain = [changed, ...plain.filter(({ number }) => number !== changed.number)]
      if (change % 20 !== 0) continue
      const [asked, offset, limit] = [filter(), random(4), 1 + random(10)]
      const found = plain.filter((one) => fits(one, asked)).map(({ number }) => number)
      const { page, total } = columns.list(asked, { offset, limit })
      expect({ page: page.map(({ number }) => number), total }).toEqual({
        page: found.slice(offset, offset + limit),
        total: found.length,
      })
      for (const { number, updatedAtMs } of page) expect(updatedAtMs).toBe(times.get(number))
      const odd = columns.list(asked, { offset: 0, limit: 100 }, (number) => number % 2 === 1)
      expect(odd.page.map(({ number }) => number)).toEqual(found.filter((number) => number % 2 === 1))
    }
  })
})

describe('words in memory', () => {
  it('are found as a plain search would find them, after any number of changes', () => {
    const index = createWordIndex()
    const plain = new Map<number, string[]>()
    const word = () => Array.from({ length: 1 + random(6) }, () => any([...'abcdé电梯'])).join('')
    for (let change = 0; change < 6_000; change++) {
      const words = [...new Set(Array.from({ length: random(6) }, word))]
      const request = 1 + random(200)
      index.put(request, words)
      plain.set(request, words)
      if (change % 50 !== 0) continue
      const terms = [...new Set(Array.from({ length: 1 + random(3) }, word))]
      const found = (term: string, held: string) =>
        /^[a-é]/.test(term) && [...term].length < 3 ? held.startsWith(term) : held.includes(term)
      const holds = index.find(terms)
      for (const [number, held] of plain) {
        const isFound = terms.every((term) => held.some((one) => found(term, one)))
        expect(holds(number), `${terms} in ${held}`).toBe(isFound)
      }
    }
  })
})
