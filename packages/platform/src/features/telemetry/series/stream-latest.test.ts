import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../../testing/test-stack.ts'
import { createLatest } from './latest.ts'
import { streamLatest } from './stream-latest.ts'

let stack: TestStack
let buildingId: string
let base: string
beforeAll(async () => {
  stack = await startTestStack()
  buildingId = stack.seeded.buildingId
  base = `/api/v1/buildings/${buildingId}/telemetry`
})
afterAll(() => stack.close())

const asOf = new Date('2026-03-02T08:00:00.000Z')
const streamed = async () => JSON.parse(await text(streamLatest(stack.db, buildingId, asOf)))
const cached = async () => (await stack.get(`${base}/latest`)).body
const send = (value: string, points: readonly string[]) =>
  stack.send('POST', `${base}/observations`, { observations: points.map((pointId) => ({ pointId, value })) })

it('[HIS-31] the stream of the last values has the same rows as the cached response, both for folded and for unfolded batches', async () => {
  const { data: some } = (await stack.get(`/api/v1/buildings/${buildingId}/points?limit=10`)).body
  const points = some.map(({ id }: { id: string }) => id) as string[]
  expect((await streamed()).data).toEqual([])
  await send('folded', points.slice(0, 5))
  await stack.folded()
  await send('a "text"\n', points.slice(3, 8))
  const { data, asOf: at } = await streamed()
  expect(data).toEqual((await cached()).data)
  expect(data.filter(({ value }: { value: string }) => value === 'a "text"\n')).toHaveLength(5)
  expect(at).toBe(asOf.toISOString())
})

it('[HIS-31] a response that is longer than the limit is not cached', async () => {
  const short = createLatest(stack.db, 100)
  for (let i = 0; i < 2; i++) expect(await short.body(buildingId)).toBeUndefined()
  expect(await createLatest(stack.db).body(buildingId)).toBeDefined()
})
