import { catalogs } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'

let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack()
})
afterAll(() => stack.close())

describe('GET /api/v1/catalogs/{name}', () => {
  it.each(Object.entries(catalogs))('[GRF-32] lists all %s', async (name, entries) => {
    const { status, body } = await stack.get(`/api/v1/catalogs/${name}?limit=200`)
    expect(status).toBe(200)
    expect(body).toEqual({ data: entries, total: entries.length, limit: 200, offset: 0 })
  })

  it('allows the client to cache the response for an hour', async () => {
    const { headers } = await stack.get('/api/v1/catalogs/units')
    expect(headers['cache-control']).toBe('private, max-age=3600')
  })

  it('returns pages', async () => {
    const { body } = await stack.get('/api/v1/catalogs/units?limit=2&offset=1')
    expect(body).toEqual({ data: catalogs.units.slice(1, 3), total: catalogs.units.length, limit: 2, offset: 1 })
  })

  it('refuses a page size above the maximum, and an unknown parameter', async () => {
    expect((await stack.get('/api/v1/catalogs/units?limit=201')).body.code).toBe('LIMIT_TOO_LARGE')
    expect((await stack.get('/api/v1/catalogs/units?search=watt')).body.code).toBe('VALIDATION_FAILED')
  })

  it('[GRF-32] responds with 404 for an unknown catalog', async () => {
    expect(await stack.get('/api/v1/catalogs/colours')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  })

  it('lists every type that the seeded building uses', async () => {
    const slugs = async (name: string) =>
      new Set((await stack.get(`/api/v1/catalogs/${name}?limit=200`)).body.data.map((e: { slug: string }) => e.slug))
    const [spaces, elements] = [await slugs('space-types'), await slugs('element-types')]
    for (const space of stack.building.spaces) expect(spaces).toContain(space.spaceType)
    for (const element of stack.building.elements) expect(elements).toContain(element.elementType)
  })
})
