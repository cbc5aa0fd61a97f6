import { movableClock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'
import { deleteSnapshot, insertSnapshot } from './snapshots.store.ts'

let stack: TestStack
let path: string
const clock = movableClock(new Date('2026-03-02T08:00:00.000Z'))
beforeAll(async () => {
  stack = await startTestStack({}, {}, clock)
  path = `/api/v1/buildings/${stack.seeded.buildingId}/snapshots`
})
afterAll(() => stack.close())

const create = (name: unknown, more = {}) => stack.send('POST', path, { name, ...more })

describe('POST …/snapshots', () => {
  it('[REV-09] names the current revision', async () => {
    const { status, body, headers } = await create('as seeded', { description: 'Before anything' })
    expect(status).toBe(201)
    expect(body).toMatchObject({ name: 'as seeded', description: 'Before anything', revision: 1, createdBy: 'sandbox' })
    expect(headers.location).toBe(`${path}/${body.id}`)
    expect((await stack.get(`${path}/${body.id}`)).body).toEqual(body)
    expect((await stack.get(`${path}/as%20seeded`)).body).toEqual(body)
  })

  it('[REV-10] refuses a name that is already used in the building, and accepts it in another building', async () => {
    await create('taken')
    expect(await create('taken')).toMatchObject({ status: 409, body: { code: 'CONFLICT', field: 'name' } })
    const elsewhere = `/api/v1/buildings/${stack.other.buildingId}/snapshots`
    expect((await stack.send('POST', elsewhere, { name: 'taken' })).status).toBe(201)
  })

  it.each([
    '1',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    ' 7 ',
    'Infinity',
    '2026-03-01T08:00:00Z',
    '20260301T080000+01:00',
    '2026-03-01',
    '2026-11',
    '2026-W46-7',
    '0191b6a0-0000-7000-8000-000000000000',
  ])('[REV-11] refuses the name %s, which looks like a number, an instant or an id', async (name) => {
    expect(await create(name)).toMatchObject({ status: 400, body: { errors: [{ pointer: '/name' }] } })
  })

  it.each([[''], ['a\nb'], ['x'.repeat(101)], [7], [null]])('refuses the name %j', async (name) => {
    const { status, body } = await create(name)
    expect({ status, pointer: body.errors?.[0].pointer }).toEqual({ status: 400, pointer: '/name' })
  })

  it('responds with 404 for an unknown building', async () => {
    const { status } = await stack.send('POST', path.replace(/buildings\/[^/]+/, 'buildings/nothing'), { name: 'x' })
    expect(status).toBe(404)
  })
})

describe('snapshots', () => {
  it('[REV-12] are listed, newest first, and deleted without changing a node', async () => {
    for (const name of ['one', 'two']) {
      clock.advance(1)
      await create(name)
    }
    const { body } = await stack.get(path)
    expect(body.data.slice(0, 2).map(({ name }: { name: string }) => name)).toEqual(['two', 'one'])
    const before = (await stack.get(path.replace('snapshots', 'graph'))).body
    expect((await stack.send('DELETE', `${path}/${body.data[0].id}`)).status).toBe(204)
    expect((await stack.send('DELETE', `${path}/${body.data[0].id}`)).status).toBe(404)
    expect((await stack.send('DELETE', `${path}/${body.data[1].name}`)).status).toBe(204)
    expect((await stack.get(path)).body.total).toBe(body.total - 2)
    expect((await stack.get(path.replace('snapshots', 'graph'))).body).toEqual(before)
  })

  it('[LIV-18] cause a notice of a change only when a snapshot is created or deleted', async () => {
    const touched: string[] = []
    const touch = (name: string) => void touched.push(name)
    const db: Database = {
      ...stack.db,
      transaction: (work) => stack.db.transaction((tx) => work({ ...tx, touch })),
    }
    const { buildingId } = stack.seeded
    const row = { buildingId, name: 'noted', description: null, createdBy: 'sandbox', createdAt: clock.now() }
    expect(await insertSnapshot(db, { ...row, buildingId: '0191b6a0-0000-7000-8000-000000000000' })).toBeUndefined()
    expect(touched).toEqual([])
    expect(await insertSnapshot(db, row)).toMatchObject({ name: 'noted' })
    expect(await deleteSnapshot(db, buildingId, 'noted')).toBe(true)
    expect(touched).toEqual([`${buildingId} snapshots`, `${buildingId} snapshots`])
    expect(await deleteSnapshot(db, buildingId, 'noted')).toBe(false)
    expect(touched).toHaveLength(2)
  })
})
