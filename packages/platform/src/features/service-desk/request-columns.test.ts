import { REQUEST_STATES, requestNumber } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import type { Filter } from './filter-requests.ts'
import { createRequestColumns, type ListedRow } from './request-columns.ts'
import { type Term, termsOf } from './search-words.ts'
import { createWordIndex, type Matches, type WordIndex } from './word-index.ts'

/** The state of a pseudo-random generator. Its first value is fixed, so every run of the tests has the same numbers. */
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
    ...{ overdueAtMs: any([null, 50, 150]), updatedAtMs: number },
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
  return { ...given, scope: any([null, null, [IDS[1]!], []]), now: new Date(100) }
}

/** A simple reference implementation of the filter. */
function fits(one: ListedRow, { scope, now, overdue, ...asked }: Filter): boolean {
  const isLate = one.overdueAtMs !== null && one.overdueAtMs <= now.getTime()
  if (overdue !== undefined && overdue !== isLate) return false
  if (scope && !scope.includes(one.buildingId)) return false
  return Object.entries(asked).every(([name, value]) => {
    const wanted = name === 'buildingId' ? String(value).toLowerCase() : value
    return one[name as keyof ListedRow] === wanted
  })
}

describe('requests in memory', () => {
  it('are listed as the reference implementation lists them, after any number of changes', () => {
    const columns = createRequestColumns()
    let plain: ListedRow[] = []
    const times = new Map<number, number>()
    for (let change = 0; change < 4_000; change++) {
      // The request numbers have gaps, and most changes are changes of existing requests.
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

function find(index: WordIndex, terms: readonly Term[]): Matches {
  const steps = index.find(terms)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

describe('words in memory', () => {
  it('are found as a simple search finds them, after any number of changes', () => {
    const index = createWordIndex()
    const plain = new Map<number, string[]>()
    const word = () => Array.from({ length: 1 + random(6) }, () => any([...'abcdé电梯'])).join('')
    for (let change = 0; change < 6_000; change++) {
      const words = [...new Set(Array.from({ length: random(6) }, word))]
      const request = 1 + random(200)
      index.put(request, words.join(' '))
      plain.set(request, words)
      if (change % 50 !== 0) continue
      const terms = [...new Set(Array.from({ length: 1 + random(3) }, word))]
      const isShort = (term: string) => /^[a-é]/.test(term) && [...term].length < 3
      const found = (term: string, held: string) => (isShort(term) ? held.startsWith(term) : held.includes(term))
      const matches = find(
        index,
        terms.map((term) => [isShort(term) ? ` ${term}` : term]),
      )
      for (const [number, held] of plain) {
        const isFound = terms.every((term) => held.some((one) => found(term, one)))
        expect(matches(number), `${terms} in ${held}`).toBe(isFound)
      }
    }
  })

  it('take less than five times the size of their texts, even if no word is repeated', () => {
    const index = createWordIndex()
    const before = index.bytes()
    const letters = (n: number) => Array.from({ length: n }, () => String.fromCharCode(97 + random(26))).join('')
    let bytes = 0
    for (let request = 1; request <= 300; request++) {
      const words = Array.from({ length: 1_000 }, () => letters(9)).join(' ')
      bytes += words.length
      index.put(request, words)
    }
    expect(index.bytes() - before).toBeLessThan(5 * bytes)
  })

  it('mostly belong to outdated texts after many changes of a text, and can be dropped for one request', () => {
    const index = createWordIndex()
    const words = Array.from({ length: 10_000 }, (_, i) => `w${i}`).join(' ')
    for (let i = 0; i < 13; i++) index.put(1, words)
    expect(index.isMostlyOld()).toBe(true)
    expect(find(index, [['w77']])(1)).toBe(true)
    index.drop(1)
    expect(find(index, [['w77']])(1)).toBe(false)
  })

  it('include the request numbers, which are found by parts of their text', () => {
    const index = createWordIndex()
    const numbers = [1, 2, 12, 120, 777, 4_321, 54_321, 100_000, 123_456, 999_999, 1_000_000, 1_234_567]
    for (const number of numbers) index.put(number, 'word')
    const parts = numbers.flatMap((number) => {
      const text = requestNumber(number)
      return [text, text.slice(0, 6), text.slice(3), text.slice(4, 8), text.slice(-3), `r${text.slice(3)}`]
    })
    for (const asked of [...parts, 's', 'sr', 'r', '0', '00', '12', 'sr-0', 'sr000', 's0', 'rs', 'word']) {
      const [term, ...more] = termsOf(asked)
      expect(more).toEqual([])
      const matches = find(index, [term!])
      const found = numbers.filter((number) => {
        const text = ` sr${requestNumber(number).slice(3)} word `
        return term!.some((sought) => text.includes(sought))
      })
      expect(numbers.filter(matches), asked).toEqual(found)
    }
  })
})
