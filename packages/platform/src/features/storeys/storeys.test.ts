import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'

let stack: TestStack
let path: string
beforeAll(async () => {
  stack = await startTestStack()
  path = `/api/v1/buildings/${stack.seeded.buildingId}/storeys`
})
afterAll(() => stack.close())

describe('GET …/storeys', () => {
  it('lists the storeys from the lowest up', async () => {
    const { status, body } = await stack.get(path)
    expect(status).toBe(200)
    expect(body).toMatchObject({ total: 3, limit: 50, offset: 0 })
    const generated = stack.building.storeys.map(({ code, index }) => ({ code, index }))
    expect(body.data.map(({ code, index }: { code: string; index: number }) => ({ code, index }))).toEqual(
      generated.sort((a, b) => a.index - b.index),
    )
  })

  it('returns pages, and refuses a page size above the maximum or an unknown parameter', async () => {
    const { body } = await stack.get(`${path}?limit=2&offset=2`)
    expect(body).toMatchObject({ total: 3, limit: 2, offset: 2 })
    expect(body.data).toHaveLength(1)
    expect((await stack.get(`${path}?limit=201`)).body.code).toBe('LIMIT_TOO_LARGE')
    expect((await stack.get(`${path}?limit=0`)).body.code).toBe('VALIDATION_FAILED')
    expect((await stack.get(`${path}?index=1`)).body.errors).toMatchObject([{ pointer: '/index' }])
  })

  it('responds with 404 for an unknown building', async () => {
    for (const id of ['0191b6a0-0000-7000-8000-000000000000', 'not-a-uuid']) {
      expect((await stack.get(`/api/v1/buildings/${id}/storeys`)).status).toBe(404)
    }
  })
})

describe('GET …/storeys/{id}', () => {
  it('[GRF-04, GRF-06] returns a storey', async () => {
    const storey = stack.building.storeys[1]!
    const { status, body } = await stack.get(`${path}/${stack.idOf(storey.key)}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: stack.idOf(storey.key),
      externalId: storey.globalId,
      externalIds: [{ sourceSystem: 'ifc', externalId: storey.globalId }],
      sourceSystem: 'ifc',
      code: storey.code,
      createdAt: '2026-03-01T08:00:00.000Z',
      updatedAt: '2026-03-01T08:00:00.000Z',
      name: storey.name,
      index: storey.index,
      elevationM: storey.elevationM,
      areaSqm: storey.areaSqm,
      polygon: storey.plate,
    })
  })

  it("[ERR-17] responds with 404 for an unknown id, another building's storey and other kinds of nodes", async () => {
    const space = stack.idOf(stack.building.spaces[0]!.key)
    const elsewhere = stack.other.idOf(stack.other.building.storeys[0]!.key)
    for (const id of ['0191b6a0-0000-7000-8000-000000000000', 'not-a-uuid', space, elsewhere]) {
      expect(await stack.get(`${path}/${id}`), id).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    }
  })
})
