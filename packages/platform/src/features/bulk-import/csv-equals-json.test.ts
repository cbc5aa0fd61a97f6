import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'

let stack: TestStack
let url: string
beforeAll(async () => {
  stack = await startTestStack()
  url = `/api/v1/buildings/${stack.seeded.buildingId}/import/elements`
})
afterAll(() => stack.close())

type Row = Partial<Record<string, string>>
const COLUMNS = ['externalId', 'spaceId', 'spaceExternalId', 'elementType', 'name', 'code']

const text = fc.string({
  unit: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...' ,;"\'aB') },
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
  minLength: 1,
  maxLength: 12,
})
/** Draws a bad value once in a while, so that most rows are good. */
const mostly = <T>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 40, arbitrary: good }, { weight: 1, arbitrary: bad })
const room = fc.integer({ min: 0, max: 11 }).map((i): Row => {
  const space = stack.building.spaces[i]!
  return i % 2 === 0 ? { spaceId: stack.idOf(space.key) } : { spaceExternalId: space.globalId }
})
const rowOf = fc.record({
  name: mostly<string | undefined>(text, fc.constantFrom(undefined, 'two\r\nlines', 'a\ttab')),
  elementType: mostly(fc.constantFrom('pump', 'fan', 'vav'), fc.constantFrom('hovercraft', 'Pump')),
  place: mostly(room, fc.constantFrom<Row>({}, { spaceExternalId: 'no, "such" room' })),
  code: fc.option(text, { nil: undefined }),
})
const rowsOf = fc
  .uniqueArray(text, { maxLength: 8 })
  .chain((ids) =>
    fc.tuple(...ids.map((externalId) => rowOf.map(({ place, ...row }): Row => ({ externalId, ...place, ...row })))),
  )
const formOf = fc.record({
  columns: fc.shuffledSubarray(COLUMNS, { minLength: COLUMNS.length }),
  delimiter: fc.constantFrom(',', ';', '\t'),
  end: fc.constantFrom('\n', '\r\n'),
  byteOrderMark: fc.constantFrom('', '\uFEFF'),
  quoteAll: fc.boolean(),
})
type Form = typeof formOf extends fc.Arbitrary<infer F> ? F : never

function csvOf(rows: readonly Row[], { columns, delimiter, end, byteOrderMark, quoteAll }: Form): string {
  const cell = (value = '') => (quoteAll || /[",;\t\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)
  const line = (cells: (string | undefined)[]) => cells.map(cell).join(delimiter) + end
  return byteOrderMark + [columns, ...rows.map((row) => columns.map((column) => row[column]))].map(line).join('')
}

it('[IMP-01, IMP-07, IMP-08] rows in CSV are imported with the same result as the same rows in JSON', async () => {
  let runs = 0
  const outcomes = new Set<number>()
  await fc.assert(
    fc.asyncProperty(rowsOf, formOf, async (drawn, form) => {
      runs += 1
      const sourceSystem = `run ${runs}`
      // The number of the run is part of each code, so that codes of different runs do not conflict.
      const elements = drawn.map(({ code, ...row }): Row => (code === undefined ? row : { ...row, code: runs + code }))
      const asJson = (dryRun: boolean) => stack.send('POST', url, { sourceSystem, elements, dryRun })
      const asCsv = (dryRun: boolean) =>
        stack.send('POST', `${url}?sourceSystem=run%20${runs}&dryRun=${dryRun}`, csvOf(elements, form), undefined, {
          'content-type': 'text/csv',
        })
      const [json, csv] = [await asJson(true), await asCsv(true)]
      expect({ ...csv.body, requestId: '' }).toEqual({ ...json.body, requestId: '' })
      outcomes.add(csv.status)
      if (csv.status !== 200) return
      const made = { created: elements.length, updated: 0, unchanged: 0, dryRun: false }
      expect((await asCsv(false)).body).toEqual(made)
      // The rows in JSON match the elements that the rows in CSV have created, so nothing changes.
      expect((await asJson(false)).body).toEqual({ ...made, created: 0, unchanged: elements.length })
    }),
    { numRuns: 40 },
  )
  expect([...outcomes].sort()).toEqual([200, 400])
})
