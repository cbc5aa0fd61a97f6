import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LayersApi, startLayersApi } from './testing/layers-api.ts'

let api: LayersApi
/**
 * The ids of three layers. For the room with index i, the value is i / 2 in `numbers`, whether i is even in `booleans`,
 * and i as a text in `texts`, where room 0 has a text with a comma and an ampersand instead.
 */
let numbers: string
let booleans: string
let texts: string
beforeAll(async () => {
  api = await startLayersApi()
  const fill = async (valueType: string, valueAt: (i: number) => unknown) => {
    const id = await api.layer(valueType)
    await api.put(id, Object.fromEntries(api.spaces.map((room, i) => [room.externalId, valueAt(i)])))
    return id
  }
  numbers = await fill('NUMBER', (i) => i / 2)
  booleans = await fill('BOOLEAN', (i) => i % 2 === 0)
  texts = await fill('STRING', (i) => (i === 0 ? 'a, b & c' : `${i}`))
})
afterAll(() => api.stack.close())

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
async function found(layer: string, query: string) {
  const { status, body } = await api.page(layer, query)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.total).toBe(body.data.length)
  const values = body.data.map(({ value }: { value: unknown }) => value)
  return typeof values[0] === 'number' ? values.toSorted((a: number, b: number) => a - b) : values
}
const refusal = (code: string, name: string) => ({ status: 400, body: { code, errors: [{ pointer: `/${name}` }] } })

describe('GET …/values', () => {
  it('[LAY-42] returns a list, ordered by entityId', async () => {
    const all = api.spaces.toSorted(byId).map(({ id }) => id)
    const { body } = await api.page(numbers)
    expect(body).toMatchObject({ total: api.spaces.length, limit: 100, offset: 0 })
    expect(body.data.map((row: { entityId: string }) => row.entityId)).toEqual(all)
    const page = (await api.page(numbers, '?limit=3&offset=2')).body
    expect(page).toMatchObject({ total: api.spaces.length, limit: 3, offset: 2 })
    expect(page.data.map((row: { entityId: string }) => row.entityId)).toEqual(all.slice(2, 5))
    const beyond = (await api.page(numbers, '?offset=1000')).body
    expect(beyond).toMatchObject({ data: [], total: api.spaces.length, offset: 1000 })
  })

  it('[LAY-43] returns the room, its first external id, the value and when the value was written', async () => {
    const room = api.spaces.toSorted(byId)[0]!
    const { body } = await api.page(numbers, '?limit=1')
    expect(body.data).toEqual([
      {
        entityId: room.id,
        externalId: room.externalId,
        value: api.spaces.indexOf(room) / 2,
        updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    ])
    const spaces = `/api/v1/buildings/${api.stack.seeded.buildingId}/spaces`
    const storeyId = (await api.stack.get(`${spaces}/${room.id}`)).body.storey.id
    const nameless = (await api.stack.send('POST', spaces, { storeyId, name: 'x', spaceTypeSlug: 'storage' })).body
    const layer = await api.layer('NUMBER')
    await api.put(layer, { [nameless.id]: 1 }, { keyBy: 'id' })
    expect((await api.page(layer)).body.data).toMatchObject([{ entityId: nameless.id, externalId: null }])
  })

  it('[LAY-43] returns a later updatedAt after a later write, even if the value is the same', async () => {
    const layer = await api.layer('NUMBER')
    const [room] = api.spaces
    const write = async () => {
      await api.put(layer, { [room!.externalId]: 1 })
      return Date.parse((await api.page(layer)).body.data[0].updatedAt)
    }
    const first = await write()
    await expect.poll(write).toBeGreaterThan(first)
  })

  it('[LAY-44] has at most 100 rows per page', async () => {
    expect((await api.page(numbers)).body.limit).toBe(100)
    expect((await api.page(numbers, '?limit=100')).body.limit).toBe(100)
    expect(await api.page(numbers, '?limit=101')).toMatchObject(refusal('LIMIT_TOO_LARGE', 'limit'))
    for (const query of ['limit=0', 'limit=x', 'offset=-1']) {
      expect((await api.page(numbers, `?${query}`)).body.code, query).toBe('VALIDATION_FAILED')
    }
  })

  it('[LAY-45] parses eq as the type of the layer', async () => {
    expect(await found(numbers, '?eq=1.5')).toEqual([1.5])
    expect(await found(numbers, '?eq=15e-1')).toEqual([1.5])
    expect(await found(numbers, '?eq=-0')).toEqual([0])
    expect(await found(numbers, '?eq=99999')).toEqual([])
    expect(await found(booleans, '?eq=false')).toHaveLength(Math.floor(api.spaces.length / 2))
    expect(await found(texts, '?eq=1')).toEqual(['1'])
    expect(await found(texts, '?eq=01')).toEqual([])
    expect(await found(texts, `?eq=${encodeURIComponent('a, b & c')}`)).toEqual(['a, b & c'])
    expect(await found(texts, '?eq=')).toEqual([])
    for (const text of ['x', '', '0x10', 'Infinity', 'NaN', '1e999', '1,5', '%201']) {
      expect(await api.page(numbers, `?eq=${text}`), text).toMatchObject(refusal('VALIDATION_FAILED', 'eq'))
    }
    for (const text of ['TRUE', '1', 'yes', '']) {
      expect(await api.page(booleans, `?eq=${text}`), text).toMatchObject(refusal('VALIDATION_FAILED', 'eq'))
    }
    expect((await api.page(numbers, '?eq=1&eq=2')).status).toBe(400)
  })

  it('[LAY-46] accepts gt, gte, lt and lte for numbers only', async () => {
    expect(await found(numbers, '?gt=1&lt=2')).toEqual([1.5])
    expect(await found(numbers, '?gte=1&lte=2')).toEqual([1, 1.5, 2])
    for (const name of ['gt', 'gte', 'lt', 'lte']) {
      expect(await api.page(texts, `?${name}=1`)).toMatchObject(refusal('FILTER_NOT_ALLOWED', name))
      expect(await api.page(booleans, `?${name}=1`)).toMatchObject(refusal('FILTER_NOT_ALLOWED', name))
      for (const text of ['x', '', '1e999', 'Infinity']) {
        expect(await api.page(numbers, `?${name}=${text}`)).toMatchObject(refusal('VALIDATION_FAILED', name))
      }
    }
  })

  it('[LAY-47] accepts one value in `in`, and refuses a list', async () => {
    expect(await found(numbers, '?in=1.5')).toEqual([1.5])
    expect(await found(texts, '?in=2')).toEqual(['2'])
    for (const layer of [numbers, booleans, texts]) {
      for (const list of ['1,2', ',', 'true,', 'a,b', '1%2C2']) {
        expect(await api.page(layer, `?in=${list}`), list).toMatchObject(refusal('FILTER_NOT_ALLOWED', 'in'))
      }
    }
    expect(await api.page(numbers, '?in=x')).toMatchObject(refusal('VALIDATION_FAILED', 'in'))
  })

  it('[LAY-48] returns the values that match all filters', async () => {
    expect(await found(numbers, '?gt=1&gte=1.5&lt=9&lte=2.5&in=2')).toEqual([2])
    expect(await found(numbers, '?eq=1&in=2')).toEqual([])
    expect(await found(numbers, '?eq=1&gt=1')).toEqual([])
    expect((await api.page(texts, '?eq=1&gt=0')).body.code).toBe('FILTER_NOT_ALLOWED')
  })

  it('refuses an unknown parameter and names it', async () => {
    expect(await api.page(numbers, '?ne=1')).toMatchObject(refusal('VALIDATION_FAILED', 'ne'))
  })
})
