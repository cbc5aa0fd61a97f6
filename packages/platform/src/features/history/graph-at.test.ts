import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'

let stack: TestStack
let base: string
beforeAll(async () => {
  stack = await startTestStack()
  base = `/api/v1/buildings/${stack.seeded.buildingId}`
})
afterAll(() => stack.close())

const graph = async (query = '') => (await stack.get(`${base}/graph${query}`)).body

it('[REV-03] the graph of an earlier revision is complete even if more nodes have changed since then than one read returns', async () => {
  const storeyId = stack.idOf(stack.building.storeys[0]!.key)
  const created: string[] = []
  for (let i = 0; i < 250; i++) {
    const { body } = await stack.send('POST', `${base}/spaces`, {
      storeyId,
      name: `Many ${i}`,
      spaceTypeSlug: 'storage',
    })
    created.push(body.id)
  }
  const before = await graph()
  expect(before.spaces.length).toBeGreaterThan(created.length)
  for (const [i, id] of created.entries()) {
    if (i % 2 === 0) await stack.send('DELETE', `${base}/spaces/${id}`)
    else await stack.send('PATCH', `${base}/spaces/${id}`, { name: `Renamed ${i}` })
  }
  const at = `?at=${before.revision}`
  expect(await graph(at)).toEqual(before)
  const turtle = await graph(`${at}&format=turtle`)
  for (const { id } of before.spaces) expect(turtle).toContain(`node:${id} a `)
})
