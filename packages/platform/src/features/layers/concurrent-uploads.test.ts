import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LayersApi, startLayersApi } from './testing/layers-api.ts'

let api: LayersApi
let spaces: string
beforeAll(async () => {
  api = await startLayersApi()
  spaces = `/api/v1/buildings/${api.stack.seeded.buildingId}/spaces`
})
afterAll(() => api.stack.close())

const times = <T>(n: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => work(i)))
const statuses = (answers: { status: number }[]) => [...new Set(answers.map(({ status }) => status))].sort()

describe('among concurrent requests,', () => {
  it('[LAY-32] uploads with replace leave exactly the values of one payload', async () => {
    const id = await api.layer('NUMBER')
    const payload = (n: number) => {
      const spaces = api.spaces.slice(n % 4, (n % 4) + 9)
      return Object.fromEntries((n % 2 ? spaces : spaces.reverse()).map((room) => [room.id, n]))
    }
    const sorted = (values: object) => Object.entries(values).sort()
    for (let round = 0; round < 5; round++) {
      const answers = await times(8, (n) => api.put(id, payload(n), { replace: true, keyBy: 'id' }))
      expect(statuses(answers)).toEqual([200])
      const left = sorted(Object.fromEntries(await api.values(id)))
      expect(Array.from({ length: 8 }, (_, n) => sorted(payload(n)))).toContainEqual(left)
      expect(answers.filter(({ body }) => body.deleted === 9).length).toBeGreaterThanOrEqual(7)
    }
  })

  it('uploads without replace leave the values of one and the same upload in all rooms', async () => {
    const id = await api.layer('NUMBER')
    const answers = await times(10, (n) => {
      const spaces = n % 2 ? api.spaces : api.spaces.toReversed()
      return api.put(id, Object.fromEntries(spaces.map((room) => [room.externalId, n])))
    })
    expect(statuses(answers)).toEqual([200])
    expect(new Set((await api.values(id)).values()).size).toBe(1)
  })

  it('[LAY-16, LAY-22] uploads leave no value that violates a schema that is set at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await api.layer('NUMBER')
      const [patched, ...uploads] = await Promise.all([
        api.stack.send('PATCH', `${api.path}/${id}`, { valueSchema: { maximum: 5 } }),
        api.put(id, { [api.spaces[0]!.id]: 9 }, { keyBy: 'id' }),
        api.put(id, { [api.spaces[1]!.id]: 8 }, { keyBy: 'id' }),
      ])
      const { valueSchema, valueCount } = (await api.stack.get(`${api.path}/${id}`)).body
      expect(patched.status).toBe(valueSchema === null ? 409 : 200)
      expect(valueCount).toBe(uploads.filter(({ status }) => status === 200).length)
      if (valueSchema !== null) expect(valueCount).toBe(0)
    }
  })

  it('uploads do not fail while rooms are deleted, and leave no value of a deleted room', async () => {
    const id = await api.layer('NUMBER')
    const storeyId = (await api.stack.get(`${spaces}/${api.spaces[0]!.id}`)).body.storey.id
    const temporary: string[] = await times(12, async (i) => {
      const body = { storeyId, name: `Room ${i}`, spaceTypeSlug: 'storage', sourceSystem: 'b', externalId: `b${i}` }
      return (await api.stack.send('POST', spaces, body)).body.id
    })
    const values = Object.fromEntries([...temporary.keys()].map((i) => [`b${i}`, i]))
    const [uploads, deletes] = await Promise.all([
      times(12, (n) => api.put(id, values, { replace: n % 3 === 0 })),
      times(12, (i) => api.stack.send('DELETE', `${spaces}/${temporary[i % 2 ? i : 11 - i]}`)),
    ])
    expect(statuses(uploads)).toEqual([200])
    for (const { body } of uploads) expect(body.matched + body.unmatched.length).toBe(12)
    const there = new Set((await api.stack.get(`${spaces}?limit=1000`)).body.data.map((s: { id: string }) => s.id))
    for (const room of (await api.values(id)).keys()) expect(there).toContain(room)
    expect(deletes.every(({ status }) => status === 204 || status === 404)).toBe(true)
  })

  it('uploads succeed or respond with 404 while their layer is deleted', async () => {
    const id = await api.layer('NUMBER')
    const values = Object.fromEntries(api.spaces.map((room) => [room.id, 1]))
    const [deleted, ...uploads] = await Promise.all([
      api.stack.send('DELETE', `${api.path}/${id}`),
      api.put(id, values, { keyBy: 'id' }),
      api.put(id, values, { keyBy: 'id', replace: true }),
    ])
    expect(deleted.status).toBe(204)
    for (const { status } of uploads) expect([200, 404]).toContain(status)
    expect((await api.page(id)).status).toBe(404)
  })

  it('[LAY-04] requests to create a layer with the same key create only one', async () => {
    const answers = await times(6, () => api.create({ key: 'wanted' }))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
  })
})
