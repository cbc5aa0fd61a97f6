import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'

let stack: TestStack
let path: string
beforeAll(async () => {
  stack = await startTestStack()
  path = `/api/v1/buildings/${stack.seeded.buildingId}/storeys`
})
afterAll(() => stack.close())

const TRIANGLE = [
  [0, 0],
  [10.5, 0],
  [0, -7],
]

describe('POST …/storeys', () => {
  it('[GRF-12] requires a name and an index, and nothing else', async () => {
    const { status, body } = await stack.send('POST', path, { name: 'Roof', index: 40 })
    expect(status).toBe(201)
    expect(body).toMatchObject({ name: 'Roof', index: 40, elevationM: null, areaSqm: null, polygon: null })
    expect((await stack.send('POST', path, { index: 40 })).body.errors).toMatchObject([{ pointer: '/name' }])
    expect((await stack.send('POST', path, { name: 'Roof' })).body.errors).toMatchObject([{ pointer: '/index' }])
  })

  it('stores all given fields', async () => {
    const given = { name: 'Cellar', index: -3, elevationM: -9.25, areaSqm: 812.5, polygon: TRIANGLE, code: 'U3' }
    const { body } = await stack.send('POST', path, given)
    expect(body).toMatchObject(given)
    expect((await stack.get(`${path}/${body.id}`)).body).toEqual(body)
  })

  it.each([
    ['index', 1.5],
    ['index', '1'],
    ['index', null],
    ['index', 10_001],
    ['elevationM', '3'],
    ['elevationM', 100_001],
    ['areaSqm', -1],
    ['areaSqm', true],
    [
      'polygon',
      [
        [0, 0],
        [1, 1],
      ],
    ],
    ['polygon', 'POLYGON EMPTY'],
  ])('refuses %s %j', async (name, value) => {
    const { status, body } = await stack.send('POST', path, { name: 'Roof', index: 40, [name]: value })
    expect({ status, pointer: body.errors?.[0].pointer }).toEqual({ status: 400, pointer: `/${name}` })
  })
})

describe('PATCH …/storeys/{id}', () => {
  it('[GRF-31] clears fields that are set to null, and keeps all other fields', async () => {
    const { body } = await stack.send('POST', path, {
      name: 'Roof',
      index: 40,
      elevationM: 12,
      areaSqm: 8,
      polygon: TRIANGLE,
    })
    const { body: after } = await stack.send('PATCH', `${path}/${body.id}`, { elevationM: null, polygon: null })
    expect(after).toEqual({ ...body, elevationM: null, polygon: null, updatedAt: after.updatedAt })
  })

  it('changes the storey in the responses for its spaces', async () => {
    const space = stack.building.spaces[0]!
    const id = stack.idOf(space.storeyKey)
    await stack.send('PATCH', `${path}/${id}`, { name: 'Entrance level', code: 'EG', index: 41 })
    const { body } = await stack.get(`/api/v1/buildings/${stack.seeded.buildingId}/spaces/${stack.idOf(space.key)}`)
    expect(body.storey).toEqual({ id, name: 'Entrance level', code: 'EG', index: 41 })
  })

  it.each(['name', 'index', 'code'])('refuses to clear the %s', async (name) => {
    const id = stack.idOf(stack.building.storeys[0]!.key)
    const { status, body } = await stack.send('PATCH', `${path}/${id}`, { [name]: null })
    expect({ status, pointer: body.errors?.[0].pointer }).toEqual({ status: 400, pointer: `/${name}` })
  })
})
