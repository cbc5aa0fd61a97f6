import { QUOTAS } from '@storey/contract'
import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REQUESTS, startTestDesk, type TestDesk } from './testing/test-desk.ts'

let desk: TestDesk
beforeAll(async () => {
  desk = await startTestDesk()
})
afterAll(() => desk.close())

const { limit } = QUOTAS.comments
const total = async (id: string) => (await desk.stack.get(`${REQUESTS}/${id}/comments`)).body.total

/** A new request with the maximum number of comments. */
async function openFull(): Promise<string> {
  const { id } = await desk.open()
  await desk.stack.db.run(sql`insert into service_request_comments (id, request_id, text, author, created_at)
    select gen_random_uuid(), ${id}, 'Still broken', 'sandbox', now() from generate_series(1, ${limit})`)
  return id
}

describe('[DSK-35] a request with the maximum number of comments', () => {
  it('gets no further comment, neither alone nor with a transition', async () => {
    const id = await openFull()
    const before = await desk.read(id)
    const refusal = { status: 429, body: { code: 'QUOTA_EXCEEDED', quota: 'comments', limit, used: limit } }
    const send = (path: string, body: unknown) => desk.stack.send('POST', `${REQUESTS}/${id}/${path}`, body)
    expect(await send('comments', { text: 'One more' })).toMatchObject(refusal)
    expect(await send('transition', { state: 'in_progress', comment: 'One more' })).toMatchObject(refusal)
    expect(await desk.read(id)).toEqual(before)
    expect(await send('transition', { state: 'in_progress' })).toMatchObject({ status: 200 })
    expect(await total(id)).toBe(limit)
  })

  it('is linked to a completed work order, but gets no comment about it', async () => {
    const id = await openFull()
    const fields = { workOrderId: 'WO-1', requestId: id }
    desk.stack.bus().publish(desk.buildingId, 'cafm.work-order.completed', () => fields)
    await desk.stack.serviceDesk().idle()
    expect((await desk.read(id)).workOrderIds).toEqual(['WO-1'])
    expect(await total(id)).toBe(limit)
  })
})
