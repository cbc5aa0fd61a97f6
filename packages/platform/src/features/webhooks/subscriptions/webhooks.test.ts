import { INTERNAL_EVENTS, QUOTAS, WEBHOOK_EVENTS, WIFI_EVENTS } from '@storey/contract'
import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { POINT_UPDATED, startWebhooks, type Webhooks } from '../testing/start-webhooks.ts'

let webhooks: Webhooks
beforeAll(async () => {
  webhooks = await startWebhooks()
})
afterAll(() => webhooks.close())

const URL = 'http://127.0.0.1:9/hook'
const NOBODY = '0191b6a0-0000-7000-8000-000000000000'
const subscribe = (body: unknown) => webhooks.send('POST', '', body)

describe('POST /api/v1/webhooks', () => {
  it('[WHK-01, WHK-02, WHK-03] returns the secret once, and its first characters from then on', async () => {
    const { status, body, headers } = await subscribe({ url: URL, events: [POINT_UPDATED] })
    expect(status).toBe(201)
    expect(headers.location).toBe(`/api/v1/webhooks/${body.id}`)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url: URL,
      events: [POINT_UPDATED],
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/),
      status: 'active',
      consecutiveFailures: 0,
      pausedAt: null,
      pausedBy: null,
      createdAt: webhooks.clock.now().toISOString(),
    })
    const masked = { ...body, secret: `${body.secret.slice(0, 8)}…` }
    expect((await webhooks.send('GET', `/${body.id}`)).body).toEqual(masked)
    expect((await webhooks.send('GET')).body.data).toContainEqual(masked)
    expect((await webhooks.send('PATCH', `/${body.id}`, { url: URL })).body).toEqual(masked)
    expect((await webhooks.send('POST', `/${body.id}/reset-failures`)).body).toEqual(masked)
    const other = await subscribe({ url: URL, events: [POINT_UPDATED] })
    expect(other.body.secret).not.toBe(body.secret)
  })

  it('[EVT-01] accepts every event, and drops duplicates', async () => {
    const { status, body } = await subscribe({ url: URL, events: [...WEBHOOK_EVENTS, POINT_UPDATED] })
    expect({ status, events: body.events }).toEqual({ status: 201, events: [...WEBHOOK_EVENTS] })
  })

  it.each([...WIFI_EVENTS, ...INTERNAL_EVENTS, 'building.point', 'Building.Point.Updated', 'webhook.test', '*', ''])(
    '[WHK-06, EVT-06] refuses %s, which is not an event for webhooks',
    async (name) => {
      const refused = { status: 400, body: { code: 'UNKNOWN_EVENT', validValues: [...WEBHOOK_EVENTS] } }
      expect(await subscribe({ url: URL, events: [POINT_UPDATED, name] })).toMatchObject(refused)
      const { id } = await webhooks.subscribe(URL)
      expect(await webhooks.send('PATCH', `/${id}`, { events: [name] })).toMatchObject(refused)
      expect((await webhooks.read(id)).events).toEqual([POINT_UPDATED])
    },
  )

  it.each([
    ['[WHK-05] no events', { url: URL, events: [] }, '/events'],
    ['[WHK-05] no list of events', { url: URL }, '/events'],
    ['an event that is not a text', { url: URL, events: [7] }, '/events/0'],
    ['no url', { events: [POINT_UPDATED] }, '/url'],
    ['an empty url', { url: '', events: [POINT_UPDATED] }, '/url'],
    ['a long url', { url: `${URL}/${'x'.repeat(2048)}`, events: [POINT_UPDATED] }, '/url'],
    ['a secret that the client chose', { url: URL, events: [POINT_UPDATED], secret: 'whsec_x' }, '/secret'],
    ['an unknown field', { url: URL, events: [POINT_UPDATED], name: 'x' }, '/name'],
  ])('refuses %s', async (_, body, pointer) => {
    const answer = await subscribe(body)
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
    expect(answer.body.errors[0].pointer).toBe(pointer)
  })

  it('[QTA-01] accepts webhooks up to the quota, even if they are created concurrently', async () => {
    const { db } = webhooks.stack
    await db.run(sql`delete from webhooks`)
    await db.run(sql`
      insert into webhooks (id, url, events, created_at)
      select gen_random_uuid(), ${URL}, '{}', now() from generate_series(4, ${QUOTAS.webhooks.limit})`)
    const answers = await Promise.all(Array.from({ length: 8 }, () => subscribe({ url: URL, events: [POINT_UPDATED] })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429, 429, 429, 429])
    expect(answers.find(({ status }) => status === 429)!.body).toMatchObject({
      ...{ code: 'QUOTA_EXCEEDED', quota: 'webhooks', limit: 200, used: 200 },
    })
    await db.run(sql`delete from webhooks`)
  })
})

describe('webhooks', () => {
  it('[WHK-04] are listed, read, changed and deleted', async () => {
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      ids.unshift((await webhooks.subscribe(`${URL}/${i}`)).id)
      webhooks.clock.advance(1)
    }
    const { body } = await webhooks.send('GET', '?limit=2&offset=1')
    expect(body).toMatchObject({ total: 3, limit: 2, offset: 1 })
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1))

    const path = `/${ids[0]}`
    const changed = await webhooks.send('PATCH', path, { url: `${URL}/new`, events: ['building.changeset.applied'] })
    expect(changed).toMatchObject({
      status: 200,
      body: { id: ids[0], url: `${URL}/new`, events: ['building.changeset.applied'], status: 'active' },
    })
    expect((await webhooks.send('PATCH', path, { status: 'paused' })).body).toMatchObject({
      status: 'paused',
      url: `${URL}/new`,
      pausedAt: webhooks.clock.now().toISOString(),
      pausedBy: 'person',
    })
    expect((await webhooks.send('PATCH', path, { status: 'active' })).body).toMatchObject({
      status: 'active',
      pausedAt: null,
      pausedBy: null,
    })
    expect(await webhooks.send('DELETE', path)).toMatchObject({ status: 204 })
    expect(await webhooks.send('GET', path)).toMatchObject({ status: 404 })
    expect(await webhooks.send('DELETE', path)).toMatchObject({ status: 404 })
    expect((await webhooks.send('GET')).body.total).toBe(2)
  })

  it.each([
    ['an empty object', {}],
    ['an unknown status', { status: 'failed' }],
    ['a secret', { secret: 'whsec_x' }],
    ['no events', { events: [] }],
  ])('[WHK-04] refuse %s as a change', async (_, patch) => {
    const { id } = await webhooks.subscribe(URL)
    expect(await webhooks.send('PATCH', `/${id}`, patch)).toMatchObject({ status: 400 })
  })

  it('[WHK-04] keep all their fields if one field of a change is refused', async () => {
    const { id } = await webhooks.subscribe(URL)
    const patch = { url: 'http://10.0.0.1/', events: ['building.changeset.applied'], status: 'paused' }
    expect(await webhooks.send('PATCH', `/${id}`, patch)).toMatchObject({ status: 400 })
    expect(await webhooks.read(id)).toMatchObject({ url: URL, events: [POINT_UPDATED], status: 'active' })
  })

  it('are listed in pages of at most 200', async () => {
    expect(await webhooks.send('GET', '?limit=201')).toMatchObject({ status: 400, body: { code: 'LIMIT_TOO_LARGE' } })
    expect(await webhooks.send('GET', '?status=active')).toMatchObject({ status: 400 })
  })

  it.each([NOBODY, 'x', '%00'])('cause the response 404 if they do not exist: %s', async (id) => {
    const calls = [
      webhooks.send('GET', `/${id}`),
      webhooks.send('PATCH', `/${id}`, { status: 'active' }),
      webhooks.send('DELETE', `/${id}`),
      webhooks.send('GET', `/${id}/deliveries`),
      webhooks.send('POST', `/${id}/reset-failures`),
      webhooks.send('POST', `/${id}/rotate-secret`),
      webhooks.send('POST', `/${id}/test`),
      webhooks.send('POST', `/${id}/deliveries/${NOBODY}/redeliver`),
    ]
    for (const answer of await Promise.all(calls)) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    }
    const known = await webhooks.subscribe(URL)
    const answer = await webhooks.send('POST', `/${known.id}/deliveries/${id}/redeliver`)
    expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  })
})
