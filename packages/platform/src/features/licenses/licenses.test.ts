import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'

const PATH = '/api/v1/licenses'
let stack: TestStack
let buildingId: string
beforeAll(async () => {
  stack = await startTestStack()
  buildingId = stack.seeded.buildingId
  for (const slug of ['board', 'other']) await register(slug)
})
afterAll(() => stack.close())

async function register(slug: string) {
  const manifest = { slug, name: slug, version: '1.0.0', sdkVersion: '1.14.0' }
  const remoteEntryUrl = 'http://localhost:6001/assets/remoteEntry.js'
  const { status } = await stack.send('POST', '/api/v1/registry/modules/ingest', { manifest, remoteEntryUrl })
  expect(status).toBe(201)
}
const license = (moduleSlug: unknown, building: unknown = buildingId) =>
  stack.send('POST', PATH, { moduleSlug, buildingId: building })

const slugOf = ({ moduleSlug }: { moduleSlug: string }) => moduleSlug
const isBrief = (slug: string) => slug.startsWith('brief-')
async function isWaiting(): Promise<boolean> {
  const waiting = sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await stack.db.rows(waiting)).length).toBe(1)
  return true
}

describe('licences', () => {
  it('[LIC-01, LIC-02, LIC-03] can be created once per module and building, listed, read and deleted', async () => {
    const made = await license('board')
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      licenseId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      moduleSlug: 'board',
      buildingId,
      createdAt: expect.stringMatching(/Z$/),
      createdBy: 'sandbox',
    })
    const again = await license('board', buildingId.toUpperCase())
    expect({ status: again.status, code: again.body.code }).toEqual({ status: 409, code: 'CONFLICT' })
    expect((await license('board', stack.other.buildingId)).status).toBe(201)
    expect((await license('other')).status).toBe(201)
    const one = `${PATH}/${made.body.licenseId}`
    expect((await stack.get(one)).body).toEqual(made.body)
    const listed = async (query: string) => (await stack.get(`${PATH}?${query}`)).body
    expect(await listed('')).toMatchObject({ total: 3, limit: 50, offset: 0 })
    expect((await listed('moduleSlug=board')).total).toBe(2)
    expect((await listed(`moduleSlug=board&buildingId=${buildingId}`)).data).toEqual([made.body])
    expect((await stack.send('DELETE', one)).status).toBe(204)
    expect((await stack.send('DELETE', one)).status).toBe(404)
    expect((await stack.get(one)).status).toBe(404)
    expect((await license('board')).status).toBe(201)
  })

  it('[LIC-02] are created once by twenty concurrent requests', async () => {
    await register('raced')
    const answers = await Promise.all(Array.from({ length: 20 }, () => license('raced')))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
  })

  it('are refused for an unknown module or building, and the error names the field', async () => {
    const pointer = async (slug: unknown, building?: unknown) => {
      const { status, body } = await license(slug, building)
      expect(status).toBe(400)
      return body.errors[0].pointer
    }
    expect(await pointer('nobody')).toBe('/moduleSlug')
    expect(await pointer('Board')).toBe('/moduleSlug')
    expect(await pointer('board', '00000000-0000-4000-8000-000000000000')).toBe('/buildingId')
    expect(await pointer('board', 'BLD-1')).toBe('/buildingId')
    expect((await stack.get(`${PATH}/no-uuid`)).status).toBe(404)
  })

  it('are refused for a module that is being deleted', async () => {
    await register('going')
    const gone = await stack.db.transaction(async (tx) => {
      await tx.run(sql`delete from modules where slug = 'going'`)
      // The request waits for the end of this transaction.
      return { answer: license('going'), waits: await isWaiting() }
    })
    expect(gone.waits).toBe(true)
    expect(await gone.answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/moduleSlug' }] } })
  })

  it('are created or refused while their module is deleted, and none is left without its module', async () => {
    for (let i = 0; i < 15; i++) {
      await register(`brief-${i}`)
      const going = () => stack.send('DELETE', `/api/v1/registry/modules/brief-${i}`)
      const [made, removed] = await Promise.all([license(`brief-${i}`), going()])
      expect([201, 400]).toContain(made.status)
      expect(removed.status).toBe(204)
    }
    expect((await stack.get(`${PATH}?limit=200`)).body.data.map(slugOf).filter(isBrief)).toEqual([])
  })

  it('are not deleted by a DELETE request whose body has fields', async () => {
    const { body } = await license('other', stack.other.buildingId)
    const one = `${PATH}/${body.licenseId}`
    const refused = await stack.send('DELETE', one, { force: true })
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/force', in: 'body' }] } })
    expect((await stack.get(one)).status).toBe(200)
    expect((await stack.send('DELETE', one)).status).toBe(204)
  })

  it('are deleted with their module', async () => {
    await register('gone')
    await license('gone')
    await stack.send('DELETE', '/api/v1/registry/modules/gone')
    expect((await stack.get(`${PATH}?moduleSlug=gone`)).body.total).toBe(0)
  })
})
