import type { Point } from '@storey/building'
import { type PointRecord, quantityKinds } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'

let stack: TestStack
let path: string
beforeAll(async () => {
  stack = await startTestStack()
  path = `/api/v1/buildings/${stack.seeded.buildingId}/points`
})
afterAll(() => stack.close())

const codes = (points: { code: string }[]) => points.map(({ code }) => code)
const generated = (keep: (point: Point) => boolean = () => true) => codes(stack.building.points.filter(keep)).sort()

describe('GET …/points', () => {
  it('lists all points, ordered by code', async () => {
    const { status, body } = await stack.get(`${path}?limit=1000`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ total: stack.building.points.length, limit: 1000, offset: 0 })
    expect(codes(body.data)).toEqual(generated())
  })

  it('filters by element and by type, and by both', async () => {
    const one = stack.building.points[0]!
    const element = `elementId=${stack.idOf(one.elementKey)}`
    const cases: [string, (point: Point) => boolean][] = [
      [element, (p) => p.elementKey === one.elementKey],
      [`pointType=${one.pointType}`, (p) => p.pointType === one.pointType],
      [
        `${element}&pointType=${one.pointType}`,
        (p) => p.elementKey === one.elementKey && p.pointType === one.pointType,
      ],
    ]
    for (const [query, keep] of cases) {
      const { body } = await stack.get(`${path}?limit=1000&${query}`)
      expect(codes(body.data), query).toEqual(generated(keep))
      expect(body.total, query).toBe(generated(keep).length)
    }
  })

  it('[GRF-33] filters by quantity kind, unit, storey and space, alone and together', async () => {
    const { building } = stack
    const elements = new Map(building.elements.map((element) => [element.key, element]))
    const room = building.spaces.find(({ key }) => building.elements.some(({ spaceKey }) => spaceKey === key))!
    const inRoom = (p: Point) => elements.get(p.elementKey)!.spaceKey === room.key
    const storeyOf = (p: Point) => {
      const { storeyKey, spaceKey } = elements.get(p.elementKey)!
      return storeyKey ?? building.spaces.find(({ key }) => key === spaceKey)!.storeyKey
    }
    const onStorey = (p: Point) => storeyOf(p) === room.storeyKey
    const isTemperature = (p: Point) => p.quantityKind === 'Temperature'
    const [space, storey] = [`spaceId=${stack.idOf(room.key)}`, `storeyId=${stack.idOf(room.storeyKey)}`]
    const cases: [string, (point: Point) => boolean][] = [
      ['quantityKind=Temperature', isTemperature],
      ['unit=PPM', (p) => p.unit === 'PPM'],
      [space, inRoom],
      [storey, onStorey],
      [
        `${storey}&quantityKind=Temperature&pointType=SENSOR`,
        (p) => onStorey(p) && isTemperature(p) && p.pointType === 'SENSOR',
      ],
      [`${space}&quantityKind=Temperature`, (p) => inRoom(p) && isTemperature(p)],
    ]
    for (const [query, keep] of cases) {
      const { body } = await stack.get(`${path}?limit=1000&${query}`)
      expect(generated(keep).length, query).toBeGreaterThan(0)
      expect(codes(body.data), query).toEqual(generated(keep))
      expect(body.total, query).toBe(generated(keep).length)
    }
    expect((await stack.get(`${path}?${storey}&spaceId=${crypto.randomUUID()}`)).body).toMatchObject({ total: 0 })
  })

  it('[GRF-33] lists the valid names if a quantity kind or a unit is not in the catalog', async () => {
    const { body } = await stack.get(`${path}?quantityKind=temperature`)
    expect(body.detail).toContain(`must be one of ${quantityKinds.map(({ name }) => name).join(', ')}`)
    expect((await stack.get(`${path}?unit=C`)).body.detail).toContain('DEG_C')
  })

  it.each([
    ['elementId=ahu', '/elementId'],
    ['pointType=sensor', '/pointType'],
    ['quantityKind=temperature', '/quantityKind'],
    ['unit=C', '/unit'],
    ['storeyId=L01', '/storeyId'],
    ['spaceId=L01-R01', '/spaceId'],
    ['name=x', '/name'],
    ['offset=x', '/offset'],
  ])('refuses %s', async (query, pointer) => {
    const { status, body } = await stack.get(`${path}?${query}`)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer }] })
  })

  it('[ERR-09, ERR-10] allows at most 1000 points per page', async () => {
    expect((await stack.get(`${path}?limit=1001`)).body.code).toBe('LIMIT_TOO_LARGE')
  })

  it('responds with 404 for an unknown building', async () => {
    for (const id of ['0191b6a0-0000-7000-8000-000000000000', 'not-a-uuid']) {
      expect((await stack.get(`/api/v1/buildings/${id}/points`)).status).toBe(404)
    }
  })
})

describe('GET …/points/{id}', () => {
  it('[GRF-04, GRF-10] returns a point', async () => {
    const point = stack.building.points[0]!
    const { status, body } = await stack.get(`${path}/${stack.idOf(point.key)}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: stack.idOf(point.key),
      externalId: point.globalId,
      externalIds: [{ sourceSystem: 'ifc', externalId: point.globalId }],
      sourceSystem: 'ifc',
      code: point.code,
      createdAt: '2026-03-01T08:00:00.000Z',
      updatedAt: '2026-03-01T08:00:00.000Z',
      elementId: stack.idOf(point.elementKey),
      pointType: point.pointType,
      name: point.name,
      quantityKind: point.quantityKind,
      unit: point.unit,
    } satisfies PointRecord)
  })

  it("[ERR-17] responds with 404 for an unknown id, another building's point and other kinds of nodes", async () => {
    const element = stack.idOf(stack.building.elements[0]!.key)
    const elsewhere = stack.other.idOf(stack.other.building.points[0]!.key)
    for (const id of ['0191b6a0-0000-7000-8000-000000000000', 'not-a-uuid', element, elsewhere]) {
      expect(await stack.get(`${path}/${id}`), id).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    }
  })
})
