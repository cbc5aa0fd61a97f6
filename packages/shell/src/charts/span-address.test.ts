import { describe, expect, it } from 'vitest'
import { RANGES, rangeOf, readSpan, type SpanChoice, spanQuery } from './span-address.ts'

const queryOf = (choice: SpanChoice) =>
  new URLSearchParams(Object.entries(spanQuery(choice)).filter((entry): entry is [string, string] => entry[1] !== null))
const HOUR = 3_600_000

describe('the range of a chart in the address', () => {
  it('[TIM-05] is read as it was written', () => {
    const choices: SpanChoice[] = [
      { kind: 'last', ms: RANGES.day },
      { kind: 'last', ms: RANGES.week },
      { kind: 'last', ms: 6 * HOUR },
      { kind: 'fixed', span: { from: 1_000_000_000_000, to: 1_000_000_000_000 + HOUR } },
    ]
    for (const choice of choices) expect(readSpan(queryOf(choice))).toEqual(choice)
    expect(queryOf(choices[0]!).size).toBe(0)
    expect(choices.map(rangeOf)).toEqual(['day', 'week', undefined, undefined])
  })

  it('is a day if the address has no valid range', () => {
    for (const text of ['range=year', 'range=1m', 'range=999999m', 'from=x&to=y', 'from=2026-01-02Z&to=2026-01-01Z']) {
      expect(readSpan(new URLSearchParams(text)), text).toEqual({ kind: 'last', ms: RANGES.day })
    }
  })
})
