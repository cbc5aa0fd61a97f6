import { LIMITS } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, startTestStack, type TestStack } from '../../testing/test-stack.ts'

let stack: TestStack
let building: string
let element: { id: string; globalId: string }
beforeAll(async () => {
  stack = await startTestStack()
  building = `/api/v1/buildings/${stack.seeded.buildingId}`
  const [first] = stack.building.elements
  element = { id: stack.idOf(first!.key), globalId: first!.globalId }
})
afterAll(() => stack.close())

type Row = Record<string, unknown>
const sensor = (externalId: string, changes: Row = {}): Row => ({
  externalId,
  elementId: element.id,
  pointType: 'SENSOR',
  name: `Sensor ${externalId}`,
  quantityKind: 'Temperature',
  unit: 'DEG_C',
  ...changes,
})
const importPoints = (points: unknown[], sourceSystem = 'bms', changes: Row = {}): Promise<Answer> =>
  stack.send('POST', `${building}/import/points`, { sourceSystem, points, ...changes })
const revision = async () => (await stack.get(building)).body.revision as number
const find = async (externalId: string, elementId = element.id): Promise<Row | undefined> => {
  const { body } = await stack.get(`${building}/points?limit=1000&elementId=${elementId}`)
  return body.data.find((point: Row) => point.externalId === externalId)
}

describe('POST …/import/points', () => {
  it('[IMP-02, IMP-05] creates points, under an element named by its id or by an external id', async () => {
    const byGlobalId = { elementId: null, elementExternalId: element.globalId }
    const rows = [sensor('P1', { code: 'MY-POINT' }), sensor('P2', byGlobalId)]
    expect(await importPoints(rows)).toMatchObject({
      status: 200,
      body: { created: 2, updated: 0, unchanged: 0, dryRun: false },
    })
    expect(await find('P1')).toMatchObject({
      elementId: element.id,
      code: 'MY-POINT',
      pointType: 'SENSOR',
      quantityKind: 'Temperature',
      unit: 'DEG_C',
      externalIds: [{ sourceSystem: 'bms', externalId: 'P1' }],
    })
    expect(await find('P2')).toMatchObject({ name: 'Sensor P2', code: expect.stringMatching(/^POINT-\d+$/) })
  })

  it('[IMP-04, IMP-06] changes known points, and changes nothing if the same rows are imported again', async () => {
    const elsewhere = stack.idOf(stack.building.elements[1]!.key)
    await importPoints([sensor('M1'), sensor('M2')])
    const { id, code } = (await find('M1'))!
    const moved = {
      elementId: elsewhere,
      pointType: 'SETPOINT',
      name: 'Wanted',
      quantityKind: 'RelativeHumidity',
      unit: 'PERCENT',
    }
    const rows = [sensor('M1', moved), sensor('M2')]
    expect((await importPoints(rows)).body).toMatchObject({ created: 0, updated: 1, unchanged: 1 })
    expect(await find('M1', elsewhere)).toMatchObject({ id, code, ...moved })
    const before = await revision()
    expect((await importPoints(rows)).body).toMatchObject({ created: 0, updated: 0, unchanged: 2 })
    expect(await revision()).toBe(before)
  })

  it('finds elements of an earlier import by their external ids', async () => {
    const spaceId = stack.idOf(stack.building.spaces[0]!.key)
    const elements = [{ externalId: 'E1', spaceId, elementType: 'pump', name: 'Pump' }]
    await stack.send('POST', `${building}/import/elements`, { sourceSystem: 'bms', elements })
    const rows = [sensor('E1-P', { elementId: undefined, elementExternalId: 'E1' })]
    expect((await importPoints(rows)).body).toMatchObject({ created: 1 })
    expect((await importPoints([sensor('E1')])).body.errors[0].reason).toBe(
      'externalId E1 of bms belongs to a node of another kind: element',
    )
  })

  it('[IMP-07] reports bad rows, and writes nothing', async () => {
    const before = await revision()
    const space = stack.idOf(stack.building.spaces[0]!.key)
    const rows = [
      sensor('B0'),
      sensor('B1', { unit: 'PERCENT' }),
      sensor('B2', { quantityKind: 'Courage' }),
      sensor('B3', { pointType: 'GUESS' }),
      sensor('B4', { elementId: space }),
      sensor('B5', { elementId: null, elementExternalId: 'nothing' }),
      sensor('B6', { elementId: null, unit: 'PERCENT' }),
      sensor('B7', { elementId: space, unit: 'PERCENT' }),
    ]
    const { status, body } = await importPoints(rows)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_FAILED' })
    expect(body.errors.map((e: Row) => [e.index, e.externalId, e.pointer, e.reason])).toEqual([
      [1, 'B1', '/points/1/unit', 'unit PERCENT does not fit Temperature: use DEG_C, DEG_F, K'],
      [
        2,
        'B2',
        '/points/2/quantityKind',
        'quantityKind Courage is not in the catalog of quantity kinds (GET /api/v1/catalogs/quantity-kinds)',
      ],
      [3, 'B3', '/points/3/pointType', expect.stringContaining('SENSOR, COMMAND')],
      [4, 'B4', '/points/4/elementId', `elementId ${space} matches no element of this building`],
      [5, 'B5', '/points/5/elementExternalId', 'elementExternalId nothing matches no element of this building'],
      [6, 'B6', '/points/6/elementId', 'elementId or elementExternalId is required'],
      [7, 'B7', '/points/7/elementId', `elementId ${space} matches no element of this building`],
      [7, 'B7', '/points/7/unit', 'unit PERCENT does not fit Temperature: use DEG_C, DEG_F, K'],
    ])
    expect(await revision()).toBe(before)
    expect(await find('B0')).toBeUndefined()
  })

  it('[IMP-08] returns the counts and writes nothing in a dry run', async () => {
    const before = await revision()
    const { body } = await importPoints([sensor('D1')], 'bms', { dryRun: true })
    expect(body).toEqual({ created: 1, updated: 0, unchanged: 0, dryRun: true })
    expect(await revision()).toBe(before)
    expect(await find('D1')).toBeUndefined()
  })

  it('[IMP-10] refuses the source system ifc', async () => {
    const refused = await importPoints([sensor('I1')], 'Ifc')
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/sourceSystem' }] } })
  })

  it('[IMP-03] accepts at most 10000 rows', async () => {
    const rows = Array.from({ length: LIMITS.bulkImportRows }, (_, i) => sensor(`T${i}`))
    const refused = await importPoints([...rows, sensor('one more')])
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/points', in: 'body' }] } })
    expect((await importPoints(rows)).body).toMatchObject({ created: 10_000 })
  })
})
