import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { startTestStack, type TestStack } from '../../../testing/test-stack.ts'
import { createKnownPoints } from './point-cache.ts'

let stack: TestStack
let buildingId: string
beforeAll(async () => {
  stack = await startTestStack()
  buildingId = stack.seeded.buildingId
})
afterAll(() => stack.close())

/** How often the points were read. Each read calls `snapshot` once. */
const reads = () => vi.mocked(stack.db.snapshot).mock.calls.length
beforeEach(() => {
  const spy = vi.spyOn(stack.db, 'snapshot')
  return () => spy.mockRestore()
})

async function createPoint(): Promise<string> {
  const elementId = stack.idOf(stack.building.elements[0]!.key)
  const { body } = await stack.send('POST', `/api/v1/buildings/${buildingId}/points`, {
    ...{ elementId, pointType: 'SENSOR', name: 'New', quantityKind: 'Temperature', unit: 'DEG_C' },
  })
  return body.id as string
}

it('the cache of points reads no points again while the graph is unchanged', async () => {
  const known = createKnownPoints(stack.db)
  const first = await known.get(buildingId)
  expect(await known.after(buildingId, first!.revision)).toBe(first)
  expect(reads()).toBe(1)
})

it('the cache of points reads the points once for all callers after a change of the graph', async () => {
  const known = createKnownPoints(stack.db)
  const { revision } = (await known.get(buildingId))!
  const id = await createPoint()
  const found = await Promise.all([1, 2, 3, 4].map(() => known.after(buildingId, revision)))
  expect(new Set(found).size).toBe(1)
  expect([...found[0]!.ids.values()].map((point) => point.id)).toContain(id)
  expect(await known.after(buildingId, revision)).toBe(found[0])
  expect(reads()).toBe(2)
})

it('the cache of points has no points of a building that does not exist', async () => {
  const known = createKnownPoints(stack.db)
  expect(await known.get('01900000-0000-7000-8000-000000000000')).toBeUndefined()
  expect(await known.after('01900000-0000-7000-8000-000000000000', 1)).toBeUndefined()
})
