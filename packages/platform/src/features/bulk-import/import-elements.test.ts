import { LIMITS } from '@storey/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Answer, startTestStack, type TestStack } from '../../testing/test-stack.ts'

let stack: TestStack
let building: string
let room: { id: string; globalId: string }
let source: string
let sources = 0

beforeAll(async () => {
  stack = await startTestStack()
  building = `/api/v1/buildings/${stack.seeded.buildingId}`
  const [space] = stack.building.spaces
  room = { id: stack.idOf(space!.key), globalId: space!.globalId }
})
afterAll(() => stack.close())
// Each test imports from its own source system.
beforeEach(() => {
  sources += 1
  source = `cmms ${sources}`
})

type Row = Record<string, unknown>
const pump = (externalId: string, changes: Row = {}): Row => ({
  externalId,
  spaceId: room.id,
  elementType: 'pump',
  name: `Pump ${externalId}`,
  ...changes,
})
const importElements = (elements: unknown[], changes: Row = {}): Promise<Answer> =>
  stack.send('POST', `${building}/import/elements`, { sourceSystem: source, elements, ...changes })
const revision = async () => (await stack.get(building)).body.revision as number
const allElements = async (): Promise<Row[]> => {
  const found: Row[] = []
  for (let offset = 0; ; offset += 1000) {
    const { body } = await stack.get(`${building}/elements?limit=1000&offset=${offset}`)
    found.push(...body.data)
    if (found.length >= body.total) return found
  }
}
const imported = async () => (await allElements()).filter((e) => e.sourceSystem === source)
const find = async (externalId: string) => (await imported()).find((e) => e.externalId === externalId)
const counts = (created: number, updated: number, unchanged: number, dryRun = false) => ({
  created,
  updated,
  unchanged,
  dryRun,
})
/** Expects that a request wrote nothing. */
async function expectNothingWritten(ask: () => Promise<Answer>): Promise<Answer> {
  const [before, elements] = [await revision(), await allElements()]
  const answer = await ask()
  expect(await revision()).toBe(before)
  expect(await allElements()).toEqual(elements)
  return answer
}
async function expectBad(elements: unknown[], errors: Row[]): Promise<Answer> {
  const answer = await expectNothingWritten(() => importElements(elements))
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', errorCount: errors.length } })
  expect(answer.body.errors).toEqual(errors.map((error) => expect.objectContaining({ in: 'body', ...error })))
  for (const { reason, detail } of answer.body.errors) expect(reason).toBe(detail)
  expect((await importElements(elements, { dryRun: true })).body.errors).toEqual(answer.body.errors)
  return answer
}

describe('POST …/import/elements', () => {
  it('[IMP-01, IMP-05] creates elements, in a space named by its id or by an external id', async () => {
    const rows = [pump('L1', { code: `PUMP ${source}` }), pump('L2', { spaceId: null, spaceExternalId: room.globalId })]
    expect(await importElements(rows)).toMatchObject({ status: 200, body: counts(2, 0, 0) })
    const found = await find('L1')
    expect(found).toMatchObject({
      name: 'Pump L1',
      code: `PUMP ${source}`,
      spaceId: room.id,
      elementType: { slug: 'pump' },
      externalIds: [{ sourceSystem: source, externalId: 'L1' }],
      status: 'active',
    })
    expect(await find('L2')).toMatchObject({ spaceId: room.id, code: expect.stringMatching(/^PUMP-\d+$/) })
  })

  it('[IMP-04, IMP-05] changes known elements, but not fields that a row lacks, and creates new elements', async () => {
    const elsewhere = stack.idOf(stack.building.spaces[1]!.key)
    await importElements([pump('L1', { code: `A ${source}` }), pump('L2'), pump('L3')])
    const [one, two] = [await find('L1'), await find('L2')]
    const rows = [
      pump('L1', { name: 'Other', elementType: 'fan', spaceId: elsewhere }),
      pump('L2', { code: `B ${source}` }),
      pump('L3'),
      pump('L4'),
    ]
    expect((await importElements(rows)).body).toEqual(counts(1, 2, 1))
    expect(await find('L1')).toMatchObject({
      id: one!.id,
      code: `A ${source}`,
      name: 'Other',
      elementType: { slug: 'fan' },
      spaceId: elsewhere,
      createdAt: one!.createdAt,
    })
    expect(await find('L2')).toMatchObject({ id: two!.id, code: `B ${source}`, name: 'Pump L2' })
    expect(await imported()).toHaveLength(4)
  })

  it('[IMP-06] changes nothing and creates no revision if the same rows are imported again', async () => {
    const rows = [pump('L1', { code: `A ${source}` }), pump('L2'), pump('L3', { spaceId: room.id.toUpperCase() })]
    await importElements(rows)
    const again = await expectNothingWritten(() => importElements(rows))
    expect(again).toMatchObject({ status: 200, body: counts(0, 0, 3) })
  })

  it('creates one revision for all rows, with a summary', async () => {
    await importElements([pump('L1')])
    const before = await revision()
    await importElements([pump('L1', { name: 'Other' }), pump('L2'), pump('L3')])
    expect(await revision()).toBe(before + 1)
    const { body } = await stack.get(`${building}/history?limit=3`)
    const summaries = body.data.map(({ summary }: Row) => summary)
    expect(summaries).toEqual(Array(3).fill(`Imported 3 elements of ${source}: 2 created, 1 updated`))
    expect(new Set(body.data.map((change: Row) => change.revision))).toEqual(new Set([before + 1]))
  })

  it('[IMP-08] returns the counts and writes nothing in a dry run', async () => {
    await importElements([pump('L1'), pump('L2')])
    const rows = [pump('L1'), pump('L2', { name: 'Other' }), pump('L3'), pump('L4')]
    const tried = await expectNothingWritten(() => importElements(rows, { dryRun: true }))
    expect(tried).toMatchObject({ status: 200, body: counts(2, 1, 1, true) })
    expect((await importElements(rows, { dryRun: false })).body).toEqual(counts(2, 1, 1))
  })

  it('writes the rows once when two requests with the same rows arrive at the same time', async () => {
    const before = await revision()
    const rows = [pump('L1'), pump('L2')]
    const answers = await Promise.all([importElements(rows), importElements(rows)])
    expect(answers.map(({ body }) => body.unchanged).sort()).toEqual([0, 2])
    expect(await revision()).toBe(before + 1)
    expect(await imported()).toHaveLength(2)
  })

  it('accepts an empty list', async () => {
    expect(await expectNothingWritten(() => importElements([]))).toMatchObject({ status: 200, body: counts(0, 0, 0) })
  })

  it('can swap the codes of two elements', async () => {
    const [a, b] = [`A ${source}`, `B ${source}`]
    await importElements([pump('L1', { code: a }), pump('L2', { code: b })])
    const traded = await importElements([pump('L1', { code: b }), pump('L2', { code: a })])
    expect(traded.body).toEqual(counts(0, 2, 0))
    expect([(await find('L1'))!.code, (await find('L2'))!.code]).toEqual([b, a])
  })
})

describe('the space of an imported element', () => {
  const spaceUnder = async (system: string, externalId: string): Promise<string> => {
    const storeyId = stack.idOf(stack.building.storeys[0]!.key)
    const body = {
      storeyId,
      name: 'Room',
      spaceTypeSlug: stack.building.spaces[0]!.spaceType,
      sourceSystem: system,
      externalId,
    }
    return (await stack.send('POST', `${building}/spaces`, body)).body.id
  }
  const placeOf = async (spaceExternalId: string) => {
    expect((await importElements([pump('L1', { spaceId: null, spaceExternalId })])).status).toBe(200)
    return (await find('L1'))!.spaceId
  }

  it('[IMP-09] is looked up under the source system of the import first', async () => {
    const own = await spaceUnder(source, room.globalId)
    expect(await placeOf(room.globalId)).toBe(own)
  })

  it('[IMP-09] is then looked up in the building model, and then under any source system, where the oldest match is used', async () => {
    await spaceUnder(`a ${source}`, room.globalId)
    expect(await placeOf(room.globalId)).toBe(room.id)
    const first = await spaceUnder(`z ${source}`, `R ${source}`)
    await spaceUnder(`a ${source}`, `R ${source}`)
    expect(await placeOf(`R ${source}`)).toBe(first)
  })

  it('[IMP-09] is matched by any of its external ids', async () => {
    const added = { sourceSystem: `b ${source}`, externalId: `R ${source}` }
    await stack.send('POST', `${building}/spaces/${room.id}/external-ids`, added)
    expect(await placeOf(`R ${source}`)).toBe(room.id)
  })

  it('is found although an element has the same external id under the source system of the import', async () => {
    await importElements([pump(room.globalId)])
    expect(await placeOf(room.globalId)).toBe(room.id)
  })
})

describe('bad rows', () => {
  it('[IMP-07] are all reported, with index, external id and reason, and nothing is written', async () => {
    const ofOtherBuilding = stack.other.idOf(stack.other.building.spaces[0]!.key)
    const rows = [
      pump('L0'),
      pump('L1', { name: undefined }),
      pump('L2', { elementType: 'hovercraft' }),
      pump('L3', { spaceId: ofOtherBuilding }),
      pump('L4', { spaceId: null, spaceExternalId: 'nowhere' }),
      pump('L0'),
      pump('L6', { colour: 'red' }),
      { ...pump('L7'), externalId: undefined },
      'a pump',
      pump('L9', { spaceId: null }),
      pump('L10', { spaceExternalId: room.globalId }),
      pump('L11', { spaceId: 'room 5' }),
      pump('L12', { name: '' }),
    ]
    await expectBad(rows, [
      { index: 1, externalId: 'L1', pointer: '/elements/1/name', reason: 'name is required' },
      {
        index: 2,
        externalId: 'L2',
        pointer: '/elements/2/elementType',
        reason: 'elementType hovercraft is not in the catalog of element types (GET /api/v1/catalogs/element-types)',
      },
      {
        index: 3,
        pointer: '/elements/3/spaceId',
        reason: `spaceId ${ofOtherBuilding} matches no space of this building`,
      },
      {
        index: 4,
        externalId: 'L4',
        pointer: '/elements/4/spaceExternalId',
        reason: 'spaceExternalId nowhere matches no space of this building',
      },
      {
        index: 5,
        externalId: 'L0',
        pointer: '/elements/5/externalId',
        reason: 'externalId L0 is already used in the row with index 0',
      },
      { index: 6, pointer: '/elements/6/colour', reason: 'colour is not a known field' },
      { index: 7, externalId: null, pointer: '/elements/7/externalId', reason: 'externalId is required' },
      { index: 8, externalId: null, pointer: '/elements/8', reason: 'the row must be an object' },
      { index: 9, pointer: '/elements/9/spaceId', reason: 'spaceId or spaceExternalId is required' },
      { index: 10, pointer: '/elements/10/spaceId', reason: expect.stringContaining('both given') },
      { index: 11, pointer: '/elements/11/spaceId', reason: 'spaceId must be a UUID' },
      { index: 12, pointer: '/elements/12/name', reason: expect.stringContaining('name') },
    ])
  })

  it('[IMP-07] include rows whose code is already used in the building or in an earlier row', async () => {
    const taken = stack.building.spaces[0]!.code
    const rows = [
      pump('L0', { code: taken }),
      pump('L1', { code: `A ${source}` }),
      pump('L2', { elementType: 'hovercraft' }),
      pump('L3', { code: `A ${source}` }),
    ]
    await expectBad(rows, [
      { index: 0, pointer: '/elements/0/code', reason: `code ${taken} is already used in this building` },
      { index: 2, pointer: '/elements/2/elementType' },
      { index: 3, pointer: '/elements/3/code', reason: `code A ${source} is already used in the row with index 1` },
    ])
  })

  it('cause no violation in a good row that has a code which a bad row would release', async () => {
    await importElements([pump('L0', { code: `A ${source}` })])
    const rows = [pump('L0', { code: `B ${source}`, elementType: 'hovercraft' }), pump('L1', { code: `A ${source}` })]
    await expectBad(rows, [{ index: 0, pointer: '/elements/0/elementType' }])
  })

  it('include rows whose external id belongs to a node of another kind', async () => {
    const added = { sourceSystem: source, externalId: 'R1' }
    await stack.send('POST', `${building}/spaces/${room.id}/external-ids`, added)
    const reason = `externalId R1 of ${source} belongs to a node of another kind: space`
    await expectBad(
      [pump('L0'), pump('R1')],
      [{ index: 1, externalId: 'R1', pointer: '/elements/1/externalId', reason }],
    )
  })

  it('include a second row that names the same element by another external id', async () => {
    await importElements([pump('L0')])
    const { id } = (await find('L0'))!
    await stack.send('POST', `${building}/elements/${id}/external-ids`, { sourceSystem: source, externalId: 'again' })
    expect((await importElements([pump('again', { name: 'Renamed' })])).body).toEqual(counts(0, 1, 0))
    const reason = 'externalId again belongs to the same element as the row with index 0'
    await expectBad([pump('L0'), pump('again')], [{ index: 1, pointer: '/elements/1/externalId', reason }])
  })

  it('are all counted, and the first hundred are reported', async () => {
    const rows = Array.from({ length: 250 }, (_, i) => pump(`L${i}`, { elementType: 'hovercraft' }))
    const { body } = await importElements(rows)
    expect(body.errors).toHaveLength(100)
    expect(body.errorCount).toBe(250)
    expect(body.detail).toContain('250 of 250 rows')
  })
})

describe('an import as a whole', () => {
  it.each(['ifc', 'IFC', ' Ifc '])('[IMP-10] is refused under the source system %j', async (sourceSystem) => {
    const refused = await expectNothingWritten(() => importElements([pump('L1')], { sourceSystem }))
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/sourceSystem', in: 'body' }] } })
  })

  it.each([
    ['no sourceSystem', { sourceSystem: undefined }, '/sourceSystem'],
    ['an empty sourceSystem', { sourceSystem: '' }, '/sourceSystem'],
    ['rows that are no list', { elements: {} }, '/elements'],
    ['no elements field', { elements: undefined }, '/elements'],
    ['dryRun as a text', { dryRun: 'true' }, '/dryRun'],
    ['an unknown field', { points: [] }, '/points'],
  ])('is refused with %s', async (_, changes, pointer) => {
    const refused = await expectNothingWritten(() => importElements([pump('L1')], changes))
    expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
    expect(refused.body.errors[0]).toMatchObject({ pointer, in: 'body' })
  })

  it('is refused without a body, or with one that is not an object', async () => {
    for (const body of [undefined, [], '"text"', 'null']) {
      const headers = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
      const answer = await stack.send('POST', `${building}/import/elements`, body, undefined, headers)
      expect(answer, String(body)).toMatchObject({ status: 400, body: { errors: [{ pointer: '', in: 'body' }] } })
    }
  })

  it.each(['sourceSystem=cmms', 'dryRun=true', 'mode=fast'])(
    'is refused as JSON with the parameter %s',
    async (query) => {
      const body = { sourceSystem: source, elements: [pump('L1')] }
      const refused = await expectNothingWritten(() => stack.send('POST', `${building}/import/elements?${query}`, body))
      const pointer = `/${query.split('=')[0]}`
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer, in: 'query' }] } })
    },
  )

  it('requires a building that exists', async () => {
    const nowhere = '/api/v1/buildings/0191b6a0-0000-7000-8000-000000000000/import/elements'
    for (const elements of [[], [pump('L1')], ['bad']]) {
      for (const dryRun of [true, false]) {
        const answer = await stack.send('POST', nowhere, { sourceSystem: source, elements, dryRun })
        expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
      }
    }
  })

  it('[IMP-03] has at most 10000 rows', async () => {
    const rows = Array.from({ length: LIMITS.bulkImportRows }, (_, i) => pump(`L${i}`))
    expect((await importElements(rows, { dryRun: true })).body).toEqual(counts(10_000, 0, 0, true))
    const refused = await expectNothingWritten(() => importElements([...rows, pump('one more')]))
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/elements', in: 'body' }] } })
    expect(await importElements(rows)).toMatchObject({ status: 200, body: counts(10_000, 0, 0) })
    expect((await importElements(rows)).body).toEqual(counts(0, 0, 10_000))
  })
})
