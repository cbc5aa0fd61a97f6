import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'
import { ORGANIZATION_ID } from '../../testing/tokens.ts'

let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack()
})
afterAll(() => stack.close())

describe('GET /api/v1/buildings', () => {
  it('[GRF-01] lists the buildings of the sandbox', async () => {
    const { status, body } = await stack.get('/api/v1/buildings')
    expect(status).toBe(200)
    expect(body).toMatchObject({ total: 2, limit: 50, offset: 0 })
    expect(body.data.map((b: { id: string }) => b.id).sort()).toEqual(
      [stack.seeded.buildingId, stack.other.buildingId].sort(),
    )
  })

  it('[ERR-08, ERR-10] returns pages, and refuses a page size above the maximum', async () => {
    const first = await stack.get('/api/v1/buildings?limit=1')
    const second = await stack.get('/api/v1/buildings?limit=1&offset=1')
    expect(first.body.data[0].id).not.toBe(second.body.data[0].id)
    expect(await stack.get('/api/v1/buildings?limit=201')).toMatchObject({
      status: 400,
      body: { code: 'LIMIT_TOO_LARGE' },
    })
  })

  it('refuses an unknown parameter and names it', async () => {
    const { status, body } = await stack.get('/api/v1/buildings?updatedSince=2026-01-01')
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer: '/updatedSince' }] })
  })
})

describe('GET /api/v1/buildings/{id}', () => {
  it('[GRF-01, GRF-02, GRF-04, GRF-05] returns a building', async () => {
    const { building } = stack.building
    const { status, body } = await stack.get(`/api/v1/buildings/${stack.seeded.buildingId}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: stack.seeded.buildingId,
      externalId: building.globalId,
      externalIds: [{ sourceSystem: 'ifc', externalId: building.globalId }],
      sourceSystem: 'ifc',
      code: building.code,
      createdAt: '2026-03-01T08:00:00.000Z',
      updatedAt: '2026-03-01T08:00:00.000Z',
      name: building.name,
      buildingType: 'office',
      siteId: stack.seeded.siteId,
      organizationId: ORGANIZATION_ID,
      timezone: 'Europe/Berlin',
      address: building.address,
      location: building.location,
      revision: 1,
    })
  })

  it.each(['0191b6a0-0000-7000-8000-000000000000', 'not-a-uuid', "1'--", '%00'])(
    '[ERR-16] responds with 404 for the id %s',
    async (id) => {
      expect(await stack.get(`/api/v1/buildings/${id}`)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    },
  )
})
