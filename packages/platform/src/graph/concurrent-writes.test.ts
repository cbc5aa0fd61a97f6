import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'

let stack: TestStack
let base: string
beforeAll(async () => {
  stack = await startTestStack()
  base = `/api/v1/buildings/${stack.seeded.buildingId}`
})
afterAll(() => stack.close())

const times = <T>(n: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => work(i)))
const storey = (changes: Record<string, unknown> = {}) =>
  stack.send('POST', `${base}/storeys`, { name: 'New', index: 40, ...changes })
const revision = async () => (await stack.get(base)).body.revision as number
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort()

describe('concurrent writes', () => {
  it('[REV-01] run one after another: twenty POST requests create twenty nodes in twenty consecutive revisions', async () => {
    const before = await revision()
    const answers = await times(20, () => storey())
    expect(statuses(answers)).toEqual(Array(20).fill(201))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(20)
    expect(new Set(answers.map(({ body }) => body.code)).size).toBe(20)
    const rows = await stack.db.rows<{ revision: number; at: Date; changes: number }>(sql`
      select revision, at, (select count(*)::int from node_changes c
        where c.building_id = r.building_id and c.revision = r.revision) as changes
      from revisions r where building_id = ${stack.seeded.buildingId} and revision > ${before} order by revision`)
    expect(rows.map((row) => row.revision)).toEqual(Array.from({ length: 20 }, (_, i) => before + 1 + i))
    expect(rows.map((row) => row.changes)).toEqual(Array(20).fill(1))
    for (let i = 1; i < 20; i++) expect(rows[i]!.at.getTime()).toBeGreaterThan(rows[i - 1]!.at.getTime())
    expect(await revision()).toBe(before + 20)
  })

  it('[GRF-20] give a code to only one of several requests that ask for the same code', async () => {
    const before = await revision()
    const answers = await times(5, () => storey({ code: 'WANTED' }))
    expect(statuses(answers)).toEqual([201, 409, 409, 409, 409])
    expect(await revision()).toBe(before + 1)
  })

  it('[GRF-21] give an external id to only one of several requests that ask for the same external id', async () => {
    const answers = await times(5, () => storey({ sourceSystem: 'erp', externalId: 'WANTED' }))
    expect(statuses(answers)).toEqual([201, 409, 409, 409, 409])
  })

  it('delete a node only once', async () => {
    const { body } = await storey()
    const before = await revision()
    const answers = await times(5, () => stack.send('DELETE', `${base}/storeys/${body.id}`))
    expect(statuses(answers)).toEqual([204, 404, 404, 404, 404])
    expect(await revision()).toBe(before + 1)
  })

  it('do not lose changes of different fields', async () => {
    const { body } = await storey()
    const one = `${base}/storeys/${body.id}`
    await Promise.all([
      stack.send('PATCH', one, { name: 'Renamed' }),
      stack.send('PATCH', one, { index: 41 }),
      stack.send('PATCH', one, { elevationM: 3.5 }),
      ...Array.from({ length: 5 }, (_, i) =>
        stack.send('POST', `${one}/external-ids`, { sourceSystem: 'both', externalId: `${i}` }),
      ),
    ])
    const after = (await stack.get(one)).body
    expect(after).toMatchObject({ name: 'Renamed', index: 41, elevationM: 3.5 })
    expect(after.externalIds).toHaveLength(5)
  })

  it('leave no child without its parent', async () => {
    for (let i = 0; i < 5; i++) {
      const { body: parent } = await storey()
      const space = { storeyId: parent.id, name: 'Late', spaceTypeSlug: 'other' }
      const [made, deleted] = await Promise.all([
        stack.send('POST', `${base}/spaces`, space),
        stack.send('DELETE', `${base}/storeys/${parent.id}`),
      ])
      expect([
        [201, 409],
        [400, 204],
      ]).toContainEqual([made.status, deleted.status])
    }
  })

  it('in two buildings have separate revisions', async () => {
    const other = `/api/v1/buildings/${stack.other.buildingId}`
    const [here, there] = [await revision(), (await stack.get(other)).body.revision]
    await times(10, (i) => stack.send('POST', `${i % 2 ? base : other}/storeys`, { name: 'New', index: 50 }))
    expect(await revision()).toBe(here + 5)
    expect((await stack.get(other)).body.revision).toBe(there + 5)
  })
})
