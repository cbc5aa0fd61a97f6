import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scanTimes } from './check-observation.ts'
import { copyOf } from './observations.ts'
import { PointIndex } from './point-index.ts'
import { scanObservations } from './scan-observations.ts'

const points = Array.from({ length: 50 }, (_, i) => ({ id: randomUUID(), number: i + 1 }))
const index = new PointIndex(points, points.length)
const now = Date.parse('2026-03-01T08:00:00Z')

const value = fc.oneof(
  fc.float({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer().map(String),
  fc.constantFrom(
    '21.5',
    '-0',
    '-0.0',
    '0',
    '00.10',
    '.5',
    '5.',
    '1.2.3',
    '-',
    '',
    'on',
    '123456789012345678',
    '1e3',
    '"',
    '\\',
  ),
)
const time = fc.oneof(
  fc
    .date({ min: new Date('2020-01-01'), max: new Date('2026-03-02'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom(
    '2026-03-01T08:00:00Z',
    '2026-03-01T10:00:00.000+02:00',
    '2026-02-30T08:00:00.000Z',
    '2030-01-01T00:00:00.000Z',
  ),
)
const observation = fc.record(
  { pointId: fc.constantFrom(...points.map(({ id }) => id), randomUUID(), 'no uuid'), value, timestamp: time },
  { requiredKeys: ['pointId', 'value'] },
)

function scanned(text: string) {
  const { observations, unknown, errors } = scanObservations(Buffer.from(text), index, scanTimes(now))
  const { points: numbers, times, values, texts, count } = copyOf(observations)
  return { count, numbers, times, values, texts, unknown, errors }
}

// The usual form is `{"pointId":"…","value":"21.5","timestamp":"…Z"}`, without spaces.
describe('objects of the usual form', () => {
  it('are read like the same objects with spaces, whatever other objects are among them', () => {
    fc.assert(
      fc.property(fc.array(observation, { minLength: 1, maxLength: 40 }), (observations) => {
        expect(scanned(JSON.stringify({ observations }))).toEqual(scanned(JSON.stringify({ observations }, null, 1)))
      }),
      { numRuns: 500 },
    )
  })

  it('are read correctly in several steps of the scanner, and when the columns have to grow', () => {
    const observations = Array.from({ length: 10_000 }, (_, i) => ({
      pointId: points[i % 50]!.id,
      value: `${i}.5`,
      timestamp: new Date(now - i * 1000).toISOString(),
    }))
    const { count, values, times, numbers } = scanned(JSON.stringify({ observations }))
    expect(count).toBe(10_000)
    expect([values[9_999], times[9_999], numbers[9_999]]).toEqual([9_999.5, now - 9_999_000, 50])
    expect(values.every((each, i) => each === i + 0.5)).toBe(true)
  })

  it('can name their points in upper or lower case', () => {
    const observations = points.slice(0, 3).map(({ id }) => ({ pointId: id.toUpperCase(), value: '1' }))
    const { numbers, unknown } = scanned(JSON.stringify({ observations }))
    expect([...numbers, ...unknown]).toEqual([1, 2, 3])
  })

  it('are refused if their timestamp consists of NUL characters', () => {
    const observations = points.map(({ id }) => ({ pointId: id, value: '1', timestamp: '~'.repeat(24) }))
    const text = JSON.stringify({ observations })
    expect(() => scanned(text.replaceAll('~', '\0'))).toThrow('not plain')
  })
})
