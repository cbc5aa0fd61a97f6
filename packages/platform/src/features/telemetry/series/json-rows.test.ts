import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonRows } from './json-rows.ts'

describe('rows of JSON as bytes', () => {
  const numbers = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -4e12, max: 4e12 }).map((n) => n / 1000),
    fc.integer({ min: -3e9, max: 3e9 }),
    fc.integer().map((n) => n / 10_000),
    fc.constantFrom(0, -0, 0.001, -0.001, 0.0005, 5e-7, 1e21, 2_147_483.647, -2_147_483.647, 2_147_483.648, 100, 0.1),
  )
  it('[HIS-05] contain numbers as `String` writes them', () => {
    const rows = () => new JsonRows('', { before: '', after: '' }, 0)
    fc.assert(
      fc.property(numbers, (value) => {
        expect(rows().number(value).end('').toString()).toBe(String(value))
      }),
      { numRuns: 2000 },
    )
  })

  it('[HIS-05] contain instants as `toISOString` writes them', () => {
    const near = fc.tuple(
      fc.integer({ min: Date.UTC(-1, 0), max: Date.UTC(9999, 0) }),
      fc.array(fc.integer({ min: -2e8, max: 2e8 })),
    )
    fc.assert(
      fc.property(near, ([first, steps]) => {
        const instants = [0, ...steps].map((step) => first + step)
        const json = new JsonRows('[', { before: '"', after: '",' }, 0)
        for (const instant of instants) json.row(instant)
        expect(JSON.parse(json.end(']').toString())).toEqual(instants.map((instant) => new Date(instant).toISOString()))
      }),
    )
  })
})
