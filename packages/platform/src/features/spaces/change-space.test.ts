import { LIMITS, SPACE_STATUSES, spaceTypes } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'

let stack: TestStack
let path: string
let minimal: { storeyId: string; name: string; spaceTypeSlug: string }
beforeAll(async () => {
  stack = await startTestStack()
  path = `/api/v1/buildings/${stack.seeded.buildingId}/spaces`
  minimal = { storeyId: stack.idOf(stack.building.storeys[0]!.key), name: 'New', spaceTypeSlug: 'meeting-room' }
})
afterAll(() => stack.close())

const create = (changes: Record<string, unknown> = {}) => stack.send('POST', path, { ...minimal, ...changes })
async function refused(changes: Record<string, unknown>, pointer: RegExp) {
  const id = stack.idOf(stack.building.spaces[0]!.key)
  for (const answer of [await create(changes), await stack.send('PATCH', `${path}/${id}`, changes)]) {
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
    expect(answer.body.errors[0].pointer).toMatch(pointer)
  }
}

describe('POST …/spaces', () => {
  it('[GRF-13] requires a storey, a name and a type, and nothing else', async () => {
    const { status, body } = await create()
    expect(status).toBe(201)
    expect(body).toMatchObject({
      ...{ name: 'New', storey: { id: minimal.storeyId }, spaceType: { slug: 'meeting-room', name: 'Meeting room' } },
      ...{ status: 'active', isLeasable: false, areaSqm: null, capacity: null, polygon: null },
    })
    for (const name of ['storeyId', 'name', 'spaceTypeSlug']) {
      const without = await create({ [name]: undefined })
      expect(without).toMatchObject({ status: 400, body: { errors: [{ pointer: `/${name}` }] } })
    }
  })

  it('stores all given fields', async () => {
    const polygon = [
      [0, 0],
      [4.25, 0],
      [4.25, -3],
      [0, -3],
    ]
    const given = { areaSqm: 12.75, status: 'vacant', isLeasable: true, capacity: 0, polygon, code: 'R-1' }
    const { body } = await create(given)
    expect(body).toMatchObject(given)
    expect((await stack.get(`${path}/${body.id}`)).body).toEqual(body)
  })

  it('takes the default of isLeasable from the type', async () => {
    expect((await create({ spaceTypeSlug: 'shop' })).body.isLeasable).toBe(true)
    expect((await create({ spaceTypeSlug: 'shop', isLeasable: false })).body.isLeasable).toBe(false)
  })

  it('[GRF-17] refuses a type that is not in the catalog, and lists the valid types', async () => {
    for (const spaceTypeSlug of ['Meeting-Room', 'ballroom', 'toString', '__proto__']) {
      await refused({ spaceTypeSlug }, /^\/spaceTypeSlug$/)
      expect((await create({ spaceTypeSlug })).body.validValues).toEqual(spaceTypes.map(({ slug }) => slug))
    }
  })

  it('[GRF-08] accepts the statuses that the API defines for spaces, and refuses others', async () => {
    for (const status of SPACE_STATUSES) expect((await create({ status })).body.status).toBe(status)
    for (const status of ['closed', 'ACTIVE', '', null, 1]) await refused({ status }, /^\/status$/)
  })

  it.each([
    [
      'of two corners',
      [
        [0, 0],
        [1, 1],
      ],
    ],
    ['of no corners', []],
    [
      'of corners with three coordinates',
      [
        [0, 0, 0],
        [1, 0, 0],
        [1, 1, 0],
      ],
    ],
    ['of corners with one coordinate', [[0], [1], [2]]],
    [
      'of texts',
      [
        ['0', '0'],
        ['1', '0'],
        ['1', '1'],
      ],
    ],
    [
      'of objects',
      [
        { x: 0, y: 0 },
        { x: 1, y: 0 },
        { x: 1, y: 1 },
      ],
    ],
    [
      'with a null',
      [
        [0, 0],
        [1, 0],
        [1, null],
      ],
    ],
    [
      'with coordinates that are too large',
      [
        [0, 0],
        [1, 0],
        [1, 1e12],
      ],
    ],
    [
      'as GeoJSON',
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [1, 1],
          ],
        ],
      },
    ],
    ['with too many corners', Array(LIMITS.node.polygonCorners + 1).fill([0, 0])],
  ])('[GRF-08] refuses a polygon %s', async (_, polygon) => refused({ polygon }, /^\/polygon\b/))

  it.each([
    ['storeyId', 'L00'],
    ['storeyId', 7],
    ['storeyId', null],
    ['areaSqm', -0.1],
    ['areaSqm', '12'],
    ['areaSqm', 1e300],
    ['capacity', 1.5],
    ['capacity', -1],
    ['isLeasable', 'true'],
    ['isLeasable', null],
    ['storey', { id: 'x' }],
  ])('refuses %s %j', async (name, value) => refused({ [name]: value }, new RegExp(`^/${name}$`)))
})

describe('PATCH …/spaces/{id}', () => {
  it('[GRF-31] changes only the given fields and updatedAt', async () => {
    const { body } = await create({ areaSqm: 9, capacity: 4 })
    const changes = { status: 'out_of_service', areaSqm: null, spaceTypeSlug: 'shop' }
    const { body: after } = await stack.send('PATCH', `${path}/${body.id}`, changes)
    expect(after).toEqual({
      ...body,
      spaceTypeSlug: 'shop',
      ...{
        status: 'out_of_service',
        areaSqm: null,
        spaceType: { slug: 'shop', name: 'Shop' },
        updatedAt: after.updatedAt,
      },
    })
  })

  it('moves the space to another storey, with its elements', async () => {
    const { body } = await create()
    const element = { name: 'x', elementTypeSlug: 'sensor', spaceId: body.id }
    const elements = path.replace(/spaces$/, 'elements')
    const { body: inside } = await stack.send('POST', elements, element)
    const storeyId = stack.idOf(stack.building.storeys[1]!.key)
    expect((await stack.send('PATCH', `${path}/${body.id}`, { storeyId })).body.storey.id).toBe(storeyId)
    expect((await stack.get(`${elements}/${inside.id}`)).body).toMatchObject({ spaceId: body.id, storeyId })
  })
})
