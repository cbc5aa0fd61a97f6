import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bucketsText, createIsoWriter, rawText } from './observations-text.ts'

const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
const sources = fc.option(fc.constantFrom('bms', 'a "gateway"', ''))
const instants = fc.integer({ min: Date.UTC(-1, 0), max: Date.UTC(9999, 0) })

describe('the text of observations', () => {
  it('[HIS-05] has instants as `Date.toISOString` writes them', () => {
    const near = fc.tuple(instants, fc.array(fc.integer({ min: -2e8, max: 2e8 })))
    fc.assert(
      fc.property(near, ([first, steps]) => {
        const iso = createIsoWriter()
        for (const step of [0, ...steps]) expect(iso(first + step)).toBe(new Date(first + step).toISOString())
      }),
    )
  })

  it('[HIS-05, HIS-10] equals the JSON of the objects', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(instants, finite, sources)), fc.boolean(), (rows, isNamed) => {
        const series = {
          times: Float64Array.from(rows, ([at]) => at),
          values: Float64Array.from(rows, ([, value]) => value),
          sources: isNamed ? rows.map(([, , source]) => source) : null,
        }
        const raw = { pointId: 'a "name"', limit: 5, nextFrom: null }
        expect(JSON.parse(rawText(raw, series, rows.length).toString())).toEqual({
          ...raw,
          data: rows.map(([at, value, source]) => ({
            timestamp: new Date(at).toISOString(),
            value: String(value),
            source: isNamed ? source : null,
          })),
        })
        const head = { pointId: 'p', aggregation: 'avg', interval: '1h', timezone: 'UTC', nextFrom: null } as const
        const buckets = rows.map(([start, value], count) => ({ start, value, count }))
        expect(bucketsText(head, buckets).toString()).toBe(
          JSON.stringify({
            ...head,
            data: buckets.map(({ start, value, count }) => ({
              timestamp: new Date(start).toISOString(),
              value,
              count,
            })),
          }),
        )
      }),
    )
  })

  it('[HIS-11] has numbers even if a sum overflows', () => {
    const head = { pointId: 'p', aggregation: 'sum', interval: '1h', timezone: 'UTC', nextFrom: null } as const
    const { data } = JSON.parse(bucketsText(head, [{ start: 0, value: Number.NEGATIVE_INFINITY, count: 2 }]).toString())
    expect(data[0].value).toBe(-Number.MAX_VALUE)
  })
})
