import { sql, TIME_LIMITS } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'

let stack: TestStack
beforeAll(async () => {
  const limits = { ...TIME_LIMITS.request, lockMs: 100 }
  stack = await startTestStack({}, {}, undefined, { limits })
})
afterAll(() => stack.close())

describe('a building that another session holds locked', () => {
  it('[ERR-37] refuses changes with 503 NOT_READY, answers reads, and accepts changes after the release', async () => {
    const { buildingId } = stack.seeded
    const create = () => stack.send('POST', `/api/v1/buildings/${buildingId}/storeys`, { name: 'New', index: 40 })
    await stack.db.transaction(async (holder) => {
      await holder.run(sql`select from buildings where id = ${buildingId} for update`)
      const { status, body, headers } = await create()
      expect([status, body.code, headers['retry-after']]).toEqual([503, 'NOT_READY', '2'])
      expect((await stack.get(`/api/v1/buildings/${buildingId}`)).status).toBe(200)
    })
    expect((await create()).status).toBe(201)
  })
})
