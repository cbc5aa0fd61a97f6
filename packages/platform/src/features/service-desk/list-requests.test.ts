import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOUR_MS, NOBODY, startTestDesk, type TestDesk } from './testing/test-desk.ts'

type Row = Record<string, string | boolean | null>

let desk: TestDesk
/** All requests, the most recently changed first. */
let all: Row[]
beforeAll(async () => {
  desk = await startTestDesk()
  const { stack, storeyId, spaceId, elementId } = desk
  const made: Row[] = []
  for (let i = 0; i < 24; i++) {
    const body = {
      title: `Request ${i}`,
      priority: ['low', 'normal', 'high', 'critical'][i % 4],
      category: ['hvac', 'it', 'lifts'][i % 3],
      ...(i % 2 === 0 ? { spaceId } : { elementId }),
      ...(i % 5 === 0 ? { storeyId } : {}),
      ...(i % 6 === 5 ? { buildingId: stack.other.buildingId, spaceId: null, storeyId: null, elementId: null } : {}),
    }
    made.push(await desk.open(body))
  }
  for (const [i, { id }] of made.entries()) {
    if (i % 4 === 0)
      await desk.patch(String(id), { assignedUserId: i % 8 === 0 ? 'ann' : 'Bob', assignedTeamId: 'team' })
    if (i % 3 === 1) await desk.move(String(id), 'in_progress')
    if (i % 9 === 1) await desk.move(String(id), 'resolved')
    if (i % 9 === 4) await desk.move(String(id), 'on_hold')
  }
  desk.clock.advance(5 * HOUR_MS)
  await stack.serviceDesk().idle()
  all = (await desk.list('?limit=200')).body.data
})
afterAll(() => desk.close())

const ids = (rows: Row[]) => rows.map(({ id }) => id)

describe('GET /api/service-desk/requests', () => {
  it('[DSK-01, DSK-02] returns total, page and limit, and the most recently changed request first', async () => {
    const { status, body } = await desk.list()
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['data', 'total', 'page', 'limit'])
    expect(body).toMatchObject({ total: 24, page: 1, limit: 50 })
    expect(body.data).toEqual(all)
    expect(all).toHaveLength(24)
    expect(all.map(({ updatedAt }) => updatedAt)).toEqual(
      all
        .map(({ updatedAt }) => updatedAt)
        .sort()
        .reverse(),
    )
    for (const row of all) expect(await desk.read(String(row.id))).toEqual(row)
  })

  it('[DSK-02] numbers pages from 1', async () => {
    for (const [page, from, to] of [
      [1, 0, 10],
      [2, 10, 20],
      [3, 20, 24],
      [4, 24, 24],
      [1_000_000, 24, 24],
    ] as const) {
      const { body } = await desk.list(`?page=${page}&limit=10`)
      expect(body).toMatchObject({ page, limit: 10, total: 24 })
      expect(ids(body.data)).toEqual(ids(all.slice(from, to)))
    }
  })

  it.each([
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=1000001', 'page'],
    ['page=99999999999999999999', 'page'],
    ['page=1.5', 'page'],
    ['limit=0', 'limit'],
    ['limit=x', 'limit'],
    ['offset=0', 'offset'],
    ['overdue=yes', 'overdue'],
    ['state=open', 'state'],
    ['state=new&state=assigned', 'state'],
    ['priority=urgent', 'priority'],
    ['category=x', 'category'],
    ['buildingId=tower', 'buildingId'],
    ['spaceId=2O2Fr$t4X7Zf8NOew3FLOH', 'spaceId'],
    ['storeyId=OFF-01', 'storeyId'],
    ['elementId=', 'elementId'],
    ['search=', 'search'],
    [`search=${'x'.repeat(201)}`, 'search'],
    ['search=a%00b', 'search'],
    ['assignedUserId=', 'assignedUserId'],
    ['assignedTeamId=%00', 'assignedTeamId'],
  ])('refuses %s and names the parameter', async (query, name) => {
    const { status, body } = await desk.list(`?${query}`)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer: `/${name}`, in: 'query' }] })
  })

  it('[DSK-08] refuses updatedSince and names the parameter', async () => {
    const { status, body } = await desk.list('?updatedSince=2026-01-01T00:00:00Z')
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer: '/updatedSince', in: 'query' }] })
  })

  it('[DSK-03] accepts a limit of at most 200', async () => {
    expect(await desk.list('?limit=200')).toMatchObject({ status: 200, body: { limit: 200 } })
    for (const limit of ['201', '999999999999999', '99999999999999999999']) {
      expect(await desk.list(`?limit=${limit}`), limit).toMatchObject({
        status: 400,
        body: { code: 'LIMIT_TOO_LARGE', errors: [{ pointer: '/limit' }] },
      })
    }
  })

  const filters: readonly [string, () => Record<string, string | boolean>][] = [
    ['[DSK-04]', () => ({ state: 'in_progress' })],
    ['[DSK-04]', () => ({ priority: 'critical' })],
    ['[DSK-04]', () => ({ category: 'lifts' })],
    ['[DSK-04]', () => ({ assignedUserId: 'ann' })],
    ['[DSK-04]', () => ({ assignedTeamId: 'team' })],
    ['[DSK-05]', () => ({ buildingId: desk.buildingId })],
    ['[DSK-05]', () => ({ spaceId: desk.spaceId })],
    ['[DSK-05]', () => ({ storeyId: desk.storeyId })],
    ['[DSK-05]', () => ({ elementId: desk.elementId })],
    ['[DSK-07]', () => ({ overdue: true })],
    ['[DSK-07]', () => ({ overdue: false })],
    ['[DSK-04]', () => ({ state: 'in_progress', category: 'it', overdue: false })],
    ['[DSK-04]', () => ({ assignedTeamId: 'team', state: 'in_progress', overdue: false })],
    ['[DSK-05]', () => ({ buildingId: desk.buildingId, spaceId: desk.spaceId, storeyId: desk.storeyId })],
    ['[DSK-05]', () => ({ spaceId: desk.spaceId, priority: 'high', state: 'new' })],
    ['[DSK-07]', () => ({ overdue: true, priority: 'critical', state: 'new' })],
  ]
  it.each(filters)('%s lists only matching requests, with and without a search: %s', async (_, filter) => {
    const wanted = filter()
    const found = all.filter((row) => Object.entries(wanted).every(([name, value]) => row[name] === value))
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBeLessThan(24)
    const query = Object.entries(wanted).map(([name, value]) => `${name}=${value}`)
    for (const more of [[], ['search=request']]) {
      const { body } = await desk.list(`?${[...query, ...more].join('&')}`)
      expect(body.total).toBe(found.length)
      expect(ids(body.data)).toEqual(ids(found))
      const second = await desk.list(`?${[...query, ...more, 'limit=1', 'page=2'].join('&')}`)
      expect({ total: second.body.total, ids: ids(second.body.data) }).toEqual({
        total: found.length,
        ids: ids(found.slice(1, 2)),
      })
    }
  })

  it('[DSK-09] returns an empty page for an unknown UUID', async () => {
    for (const name of ['buildingId', 'spaceId', 'storeyId', 'elementId', 'assignedUserId', 'assignedTeamId']) {
      for (const more of ['', '&search=request', '&overdue=false']) {
        expect((await desk.list(`?${name}=${NOBODY}${more}`)).body, name).toEqual({
          data: [],
          total: 0,
          page: 1,
          limit: 50,
        })
      }
    }
  })

  it.each(["'", "' or 1=1 --", '%', '\\', '; drop table', 'ann%', 'a_n', '🔥'])(
    'finds nothing for the assignee %j',
    async (name) => {
      const { status, body } = await desk.list(`?assignedUserId=${encodeURIComponent(name)}`)
      expect({ status, total: body.total }).toEqual({ status: 200, total: 0 })
    },
  )
})
