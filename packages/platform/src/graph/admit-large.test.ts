import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'
import { admitLarge } from './admit-large.store.ts'

let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack()
})
afterAll(() => stack.close())

const states = sql`select state from nodes where kind = 'space' order by code`
const admitted = async (limit: number) => {
  const asked: number[] = []
  await admitLarge(stack.db, { states, limit, timesInMemory: 2 }, async (bytes) => void asked.push(bytes))
  return asked
}

it('[STK-16] a page waits for memory only if its limit is above 100 and its nodes are large', async () => {
  expect(await admitted(1_000)).toEqual([])
  const corners = Array.from({ length: 2_000 }, (_, i) => [Math.round(1e6 * Math.cos(i)) / 1e3, i])
  const polygon = JSON.stringify({ polygon: corners })
  await stack.db.run(sql`update nodes set state = ${polygon}::json where kind = 'space'`)
  const { count } = (await stack.db.row<{ count: number }>(
    sql`select count(*) as count from nodes where kind = 'space'`,
  ))!
  expect(await admitted(1_000)).toEqual([2 * count * Buffer.byteLength(polygon)])
  expect(await admitted(100)).toEqual([])
})
