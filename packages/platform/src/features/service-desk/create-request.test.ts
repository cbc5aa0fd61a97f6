import { randomUUID } from 'node:crypto'
import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { movePlaces } from './move-places.store.ts'
import { REQUESTS, startTestDesk, type TestDesk } from './testing/test-desk.ts'

let desk: TestDesk
beforeAll(async () => {
  desk = await startTestDesk()
})
afterAll(() => desk.close())

const waiting = async () =>
  (await desk.stack.db.row<{ count: number }>(sql`
    select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))!.count

describe('a request that is created while an import replaces nodes', () => {
  it('[DSK-36] is refused if it names a node that the import removes', async () => {
    const { stack, buildingId, storeyId, clock } = desk
    const room = { storeyId, name: 'Old', spaceTypeSlug: 'storage' }
    const spaceId = (await stack.send('POST', `/api/v1/buildings/${buildingId}/spaces`, room)).body.id as string
    const before = (await desk.list()).body.total
    const { creating } = await stack.db.transaction(async (tx) => {
      await tx.run(sql`delete from nodes where id = ${spaceId}`)
      await movePlaces(tx, new Map([[spaceId, randomUUID()]]), clock.now())
      const creating = stack.send('POST', REQUESTS, { buildingId, title: 'Leak', spaceId })
      await expect.poll(waiting).toBe(1)
      return { creating }
    })
    const { status, body } = await creating
    expect({ status, pointers: body.errors?.map((error: { pointer: string }) => error.pointer) }).toEqual({
      status: 400,
      pointers: ['/spaceId'],
    })
    expect((await desk.list()).body.total).toBe(before)
  })
})
