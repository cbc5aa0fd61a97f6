import type { Element } from '@storey/building'
import { type ElementRecord, elementType } from '@storey/contract'
import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'
import { listElements } from './elements.store.ts'

let stack: TestStack
let path: string
beforeAll(async () => {
  stack = await startTestStack()
  path = `/api/v1/buildings/${stack.seeded.buildingId}/elements`
})
afterAll(() => stack.close())

const codes = (elements: { code: string }[]) => elements.map(({ code }) => code)
const generated = (keep: (element: Element) => boolean = () => true) =>
  codes(stack.building.elements.filter(keep)).sort()

const storeyKeyOf = ({ spaceKey, storeyKey }: Element) =>
  stack.building.spaces.find((space) => space.key === spaceKey)?.storeyKey ?? storeyKey

describe('GET …/elements', () => {
  it('lists all elements, ordered by code', async () => {
    const { status, body } = await stack.get(`${path}?limit=1000`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ total: stack.building.elements.length, limit: 1000, offset: 0 })
    expect(codes(body.data)).toEqual(generated())
  })

  it('returns the storey of every element, even of an element in a space', async () => {
    const { body } = await stack.get(`${path}?limit=1000`)
    const expected = stack.building.elements.map((e) => [
      stack.idOf(e.key),
      e.spaceKey && stack.idOf(e.spaceKey),
      stack.idOf(storeyKeyOf(e)),
    ])
    const listed = body.data.map((e: ElementRecord) => [e.id, e.spaceId, e.storeyId])
    expect(listed.sort()).toEqual(expected.sort())
  })

  it('filters by storey, space and type, and by all of them together', async () => {
    const one = stack.building.elements.find((e) => e.spaceKey !== null)!
    const storey = `storeyId=${stack.idOf(storeyKeyOf(one))}`
    const space = `spaceId=${stack.idOf(one.spaceKey!)}`
    const type = `elementTypeSlug=${one.elementType}`
    const cases: [string, (element: Element) => boolean][] = [
      [storey, (e) => storeyKeyOf(e) === storeyKeyOf(one)],
      [space, (e) => e.spaceKey === one.spaceKey],
      [type, (e) => e.elementType === one.elementType],
      [`${storey}&${space}&${type}`, (e) => e.spaceKey === one.spaceKey && e.elementType === one.elementType],
    ]
    for (const [query, keep] of cases) {
      const { body } = await stack.get(`${path}?limit=1000&${query}`)
      expect(codes(body.data), query).toEqual(generated(keep))
      expect(body.total, query).toBe(generated(keep).length)
    }
  })

  it("returns an empty page for another building's storey", async () => {
    const elsewhere = stack.other.idOf(stack.other.building.storeys[0]!.key)
    expect((await stack.get(`${path}?storeyId=${elsewhere}`)).body).toMatchObject({ data: [], total: 0 })
  })

  it.each([
    ['storeyId=L00', '/storeyId'],
    ['spaceId=7', '/spaceId'],
    ['elementTypeSlug=VAV!', '/elementTypeSlug'],
    ['status=active', '/status'],
    ['limit=0', '/limit'],
  ])('refuses %s', async (query, pointer) => {
    const { status, body } = await stack.get(`${path}?${query}`)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer }] })
  })

  it('[ERR-09, ERR-10] allows at most 1000 elements per page', async () => {
    expect((await stack.get(`${path}?limit=1001`)).body.code).toBe('LIMIT_TOO_LARGE')
  })

  it('[STK-16] waits for memory if many elements serve many nodes', async () => {
    const own = await startTestStack()
    const { buildingId } = own.seeded
    const admitted = async (limit: number) => {
      const asked: number[] = []
      await listElements(own.db, buildingId, {}, { limit, offset: 0 }, async (bytes) => void asked.push(bytes))
      return asked
    }
    expect(await admitted(1_000)).toEqual([])
    await own.db.run(sql`
      update elements set serves = (select jsonb_agg(gen_random_uuid()) from generate_series(1, 1000))
      where building_id = ${buildingId}`)
    const [bytes] = await admitted(1_000)
    expect(bytes).toBeGreaterThan(own.building.elements.length * 4 * 39_000)
    expect(await admitted(100)).toEqual([])
    await own.close()
  })

  it('responds with 404 for an unknown building', async () => {
    for (const id of ['0191b6a0-0000-7000-8000-000000000000', 'not-a-uuid']) {
      expect((await stack.get(`/api/v1/buildings/${id}/elements`)).status).toBe(404)
    }
  })
})

describe('GET …/elements/{id}', () => {
  it('[GRF-04, GRF-09] returns an element with its IFC and Brick classes', async () => {
    const element = stack.building.elements[0]!
    const type = elementType(element.elementType)!
    const { status, body } = await stack.get(`${path}/${stack.idOf(element.key)}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: stack.idOf(element.key),
      externalId: element.globalId,
      externalIds: [{ sourceSystem: 'ifc', externalId: element.globalId }],
      sourceSystem: 'ifc',
      code: element.code,
      createdAt: '2026-03-01T08:00:00.000Z',
      updatedAt: '2026-03-01T08:00:00.000Z',
      name: element.name,
      elementType: { slug: type.slug, ifcClass: type.ifcClass, brickClass: type.brickClass },
      spaceId: element.spaceKey && stack.idOf(element.spaceKey),
      storeyId: stack.idOf(storeyKeyOf(element)),
      status: element.status,
      serves: element.serves.map(stack.idOf).sort(),
    } satisfies ElementRecord)
  })

  it("[ERR-17] responds with 404 for an unknown id, another building's element and other kinds of nodes", async () => {
    const point = stack.idOf(stack.building.points[0]!.key)
    const elsewhere = stack.other.idOf(stack.other.building.elements[0]!.key)
    for (const id of ['0191b6a0-0000-7000-8000-000000000000', 'not-a-uuid', point, elsewhere]) {
      expect(await stack.get(`${path}/${id}`), id).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    }
  })
})
