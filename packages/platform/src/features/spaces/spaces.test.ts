import type { Space } from '@storey/building'
import { type SpaceRecord, spaceType } from '@storey/contract'
import type { Queryable, Sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'
import { findSpace, listSpaces } from './spaces.store.ts'

let stack: TestStack
let path: string
beforeAll(async () => {
  stack = await startTestStack()
  path = `/api/v1/buildings/${stack.seeded.buildingId}/spaces`
})
afterAll(() => stack.close())

const codes = (spaces: { code: string }[]) => spaces.map(({ code }) => code)
const generated = (keep: (space: Space) => boolean = () => true) => codes(stack.building.spaces.filter(keep)).sort()

describe('GET …/spaces', () => {
  it('lists all spaces, ordered by code', async () => {
    const { status, body } = await stack.get(path)
    expect(status).toBe(200)
    expect(body).toMatchObject({ total: stack.building.spaces.length, limit: 50, offset: 0 })
    expect(codes(body.data)).toEqual(generated())
  })

  it('[GRF-29] returns every space once over all pages', async () => {
    const met: string[] = []
    for (let offset = 0; offset < stack.building.spaces.length; offset += 4) {
      met.push(...codes((await stack.get(`${path}?limit=4&offset=${offset}`)).body.data))
    }
    expect(met).toEqual(generated())
  })

  it('[GRF-27] filters by storey, type, status and leasability, and by all of them together', async () => {
    const one = stack.building.spaces[0]!
    const storey = `storeyId=${stack.idOf(one.storeyKey)}`
    const cases: [string, (space: Space) => boolean][] = [
      [storey, (s) => s.storeyKey === one.storeyKey],
      [`spaceTypeSlug=${one.spaceType}`, (s) => s.spaceType === one.spaceType],
      ['status=active', (s) => s.status === 'active'],
      ['isLeasable=false', (s) => !s.isLeasable],
      ['isLeasable=true', (s) => s.isLeasable],
      [
        `${storey}&spaceTypeSlug=${one.spaceType}&status=active&isLeasable=false`,
        (s) => s.storeyKey === one.storeyKey && s.spaceType === one.spaceType && s.status === 'active' && !s.isLeasable,
      ],
    ]
    for (const [query, keep] of cases) {
      const { body } = await stack.get(`${path}?${query}`)
      expect(codes(body.data), query).toEqual(generated(keep))
      expect(body.total, query).toBe(generated(keep).length)
    }
  })

  it('returns an empty page for an unknown storey, and for a storey of another building', async () => {
    const elsewhere = stack.other.idOf(stack.other.building.storeys[0]!.key)
    for (const id of ['0191b6a0-0000-7000-8000-000000000000', elsewhere]) {
      expect((await stack.get(`${path}?storeyId=${id}`)).body).toMatchObject({ data: [], total: 0 })
    }
  })

  it.each([
    ['storeyId=L00', '/storeyId'],
    ['storeyId=urn:uuid:0191b6a0-0000-7000-8000-000000000000', '/storeyId'],
    ['spaceTypeSlug=%00', '/spaceTypeSlug'],
    ['status=closed', '/status'],
    ['isLeasable=yes', '/isLeasable'],
    ['limit=0', '/limit'],
    ['limit=2.5', '/limit'],
    ['limit=ten', '/limit'],
    ['offset=-1', '/offset'],
    ['updatedSince=2026-01-01T00:00:00Z', '/updatedSince'],
    ['limit=1&limit=2', '/limit'],
  ])('refuses %s', async (query, pointer) => {
    const { status, body } = await stack.get(`${path}?${query}`)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer }] })
  })

  it('[GRF-28] allows at most 1000 spaces per page', async () => {
    expect((await stack.get(`${path}?limit=1000`)).status).toBe(200)
    expect(await stack.get(`${path}?limit=1001`)).toMatchObject({ status: 400, body: { code: 'LIMIT_TOO_LARGE' } })
  })

  it('responds with 404 for an unknown building', async () => {
    for (const id of ['0191b6a0-0000-7000-8000-000000000000', 'not-a-uuid']) {
      expect((await stack.get(`/api/v1/buildings/${id}/spaces`)).status).toBe(404)
    }
  })
})

describe('GET …/spaces/{id}', () => {
  it('[GRF-04, GRF-05, GRF-07] returns a space, with its storey and its type', async () => {
    const space = stack.building.spaces[0]!
    const storey = stack.building.storeys.find(({ key }) => key === space.storeyKey)!
    const { status, body } = await stack.get(`${path}/${stack.idOf(space.key)}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: stack.idOf(space.key),
      externalId: space.globalId,
      externalIds: [{ sourceSystem: 'ifc', externalId: space.globalId }],
      sourceSystem: 'ifc',
      code: space.code,
      createdAt: '2026-03-01T08:00:00.000Z',
      updatedAt: '2026-03-01T08:00:00.000Z',
      name: space.name,
      storeyId: stack.idOf(storey.key),
      spaceTypeSlug: space.spaceType,
      storey: { id: stack.idOf(storey.key), code: storey.code, name: storey.name, index: storey.index },
      spaceType: { slug: space.spaceType, name: spaceType(space.spaceType)!.name },
      areaSqm: space.areaSqm,
      status: space.status,
      isLeasable: space.isLeasable,
      capacity: space.capacity,
      polygon: space.polygon,
    } satisfies SpaceRecord)
    const listed = (await stack.get(path)).body.data.find((s: SpaceRecord) => s.id === body.id)
    expect(listed).toEqual(body)
  })

  it('returns null for missing fields', async () => {
    const storeyId = stack.idOf(stack.building.storeys[0]!.key)
    const made = await stack.send('POST', path, { storeyId, name: 'New', spaceTypeSlug: 'other' })
    expect(made.status).toBe(201)
    const { body } = await stack.get(`${path}/${made.body.id}`)
    expect(body).toMatchObject({
      ...{ externalId: null, externalIds: [], sourceSystem: null, areaSqm: null, capacity: null, polygon: null },
    })
    expect(body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect((await stack.send('DELETE', `${path}/${made.body.id}`)).status).toBe(204)
  })

  it("[ERR-17] responds with 404 for an unknown id, another building's space and other kinds of nodes", async () => {
    const storey = stack.idOf(stack.building.storeys[0]!.key)
    const elsewhere = stack.other.idOf(stack.other.building.spaces[0]!.key)
    for (const id of ['0191b6a0-0000-7000-8000-000000000000', 'not-a-uuid', storey, elsewhere]) {
      expect(await stack.get(`${path}/${id}`), id).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    }
  })
})

describe('a space whose storey is created or deleted between two statements of a read', () => {
  const all = { limit: 1000, offset: 0 }

  /** A new storey with a space. `remove` deletes the storey after moving the space to the first storey. */
  async function newStorey(code: string) {
    const storeys = path.replace(/spaces$/, 'storeys')
    const storey = (await stack.send('POST', storeys, { code, name: code, index: 40 })).body
    const space = (await stack.send('POST', path, { storeyId: storey.id, name: code, spaceTypeSlug: 'other' })).body
    const remove = async () => {
      const storeyId = stack.idOf(stack.building.storeys[0]!.key)
      expect((await stack.send('PATCH', `${path}/${space.id}`, { storeyId })).status).toBe(200)
      expect((await stack.send('DELETE', `${storeys}/${storey.id}`)).status).toBe(204)
    }
    return { storey, space, remove }
  }

  /** Runs `change` once, after the first statement that matches the pattern and before all others. */
  function changedAfter(pattern: RegExp, change: () => Promise<void>): Queryable {
    const changed = Promise.withResolvers<void>()
    let isChanged = false
    return {
      ...stack.db,
      async rows<T extends Record<string, unknown>>(statement: Sql) {
        const isFirst = pattern.test(statement.toQuery().text)
        if (!isFirst) await changed.promise
        const rows = await stack.db.rows<T>(statement)
        if (!isFirst || isChanged) return rows
        isChanged = true
        await change()
        changed.resolve()
        return rows
      },
    }
  }

  const listed = async (db: Queryable): Promise<SpaceRecord[]> =>
    (await listSpaces(db, stack.seeded.buildingId, {}, all)).texts.map((text) => JSON.parse(text))

  it('[GRF-07] is listed with its storey after the storey was created', async () => {
    const create = async () => void (await newStorey('CREATED'))
    const spaces = await listed(changedAfter(/from storeys/, create))
    expect(spaces.find(({ name }) => name === 'CREATED')?.storey).toMatchObject({ code: 'CREATED' })
  })

  it('[GRF-07] is listed with its new storey after the old one was deleted', async () => {
    const { space, remove } = await newStorey('LEFT')
    const spaces = await listed(changedAfter(/as page/, remove))
    const first = stack.idOf(stack.building.storeys[0]!.key)
    expect(spaces.find(({ id }) => id === space.id)?.storey.id).toBe(first)
  })

  it('[GRF-07] is read with its storey', async () => {
    const { space, storey, remove } = await newStorey('READ')
    let statements = 0
    const db: Queryable = {
      ...stack.db,
      async row<T extends Record<string, unknown>>(statement: Sql) {
        const row = await stack.db.row<T>(statement)
        if (statements++ === 0) await remove()
        return row
      },
    }
    expect((await findSpace(db, stack.seeded.buildingId, space.id))?.storey).toMatchObject({ id: storey.id })
  })
})

describe('a deployment with a lower page limit', () => {
  it('[GRF-28] uses its limit as the default and as the maximum of the page size', async () => {
    const older = await startTestStack({ spacesPageCap: 20 })
    const spaces = `/api/v1/buildings/${older.seeded.buildingId}/spaces`
    expect((await older.get(spaces)).body.limit).toBe(20)
    expect((await older.get(`${spaces}?limit=21`)).body.code).toBe('LIMIT_TOO_LARGE')
    await older.close()
  })
})
