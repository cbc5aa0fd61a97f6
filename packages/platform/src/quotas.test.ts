import { QUOTAS, type QuotaName } from '@storey/contract'
import { type Sql, sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from './testing/test-stack.ts'

let stack: TestStack
let building: string
beforeAll(async () => {
  stack = await startTestStack()
  building = `/api/v1/buildings/${stack.seeded.buildingId}`
})
afterAll(() => stack.close())

const REMOTE = 'http://localhost:6001/assets/remoteEntry.js'
const manifest = (slug: string) => ({ slug, name: 'Board', version: '1.0.0', sdkVersion: '1.14.0' })

interface Case {
  quota: QuotaName
  /** SQL that inserts this many rows. */
  fill(count: number): Sql
  create(i: number): ReturnType<TestStack['send']>
}

const CASES: Case[] = [
  {
    quota: 'layers',
    fill: (count) => sql`insert into data_layers (id, building_id, key, name, value_type, created_at, updated_at)
      select gen_random_uuid(), ${stack.seeded.buildingId}, 'filled-' || i, 'x', 'NUMBER', now(), now()
      from generate_series(1, ${count}) i`,
    create: (i) => stack.send('POST', `${building}/data-layers`, { key: `new-${i}`, name: 'New', valueType: 'NUMBER' }),
  },
  {
    quota: 'snapshots',
    fill: (count) => sql`insert into snapshots (id, building_id, name, revision, created_by, created_at)
      select gen_random_uuid(), b.id, 'filled ' || i, b.revision, 'x', now()
      from buildings b, generate_series(1, ${count}) i where b.id = ${stack.seeded.buildingId}`,
    create: (i) => stack.send('POST', `${building}/snapshots`, { name: `new ${i}` }),
  },
  {
    quota: 'openChangesets',
    fill: (count) => sql`insert into changesets (id, building_id, title, state, operations, operation_count, author,
        writers, base_revision, created_at, updated_at)
      select gen_random_uuid(), ${stack.seeded.buildingId}, 'x', (array['draft', 'submitted', 'approved'])[1 + i % 3],
        '[]', 0, 'x', '{}', 1, now(), now() from generate_series(1, ${count}) i`,
    create: () => {
      const operations = [{ op: 'create', kind: 'storey', data: { name: 'Roof', index: 99 } }]
      return stack.send('POST', `${building}/changesets`, { title: 'New', operations })
    },
  },
  {
    quota: 'modules',
    fill: (count) => sql`insert into modules (slug, name, version, sdk_version, remote_entry_url, building_types,
        events, manifest, updated_at)
      select 'filled-' || i, 'x', '1.0.0', '1.14.0', ${REMOTE}, '{}', '{}', '{}', now()
      from generate_series(1, ${count}) i`,
    create: (i) =>
      stack.send('POST', '/api/v1/registry/modules/ingest', { manifest: manifest(`new-${i}`), remoteEntryUrl: REMOTE }),
  },
  {
    quota: 'serviceRequests',
    fill: (count) => sql`insert into service_requests (id, building_id, title, category, priority, state, reporter,
        created_at, updated_at, due_at, words, words_at)
      select gen_random_uuid(), ${stack.seeded.buildingId}, 'x', 'other', 'normal', 'closed', 'x', now(),
        t, now(), 'x', t from (select now() - interval '1 day' + i * interval '1 microsecond' as t
          from generate_series(1, ${count}) i) times`,
    create: () =>
      stack.send('POST', '/api/service-desk/requests', { buildingId: stack.seeded.buildingId, title: 'New' }),
  },
]

describe('quotas', () => {
  it.each(CASES)('[QTA-01] limit $quota, even for twenty concurrent requests', async ({ quota, fill, create }) => {
    const { limit } = QUOTAS[quota]
    await stack.db.run(fill(limit - 3))
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => create(i)))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(3).fill(201), ...Array(17).fill(429)])
    expect(answers.find(({ status }) => status === 429)!.body).toMatchObject({
      ...{ code: 'QUOTA_EXCEEDED', quota, limit, used: limit, detail: expect.stringContaining(`${limit}`) },
    })
  })

  it('[QTA-01] allow new records after a deletion, and do not affect existing ones', async () => {
    expect(await stack.send('DELETE', `${building}/snapshots/filled%201`)).toMatchObject({ status: 204 })
    expect(await stack.send('POST', `${building}/snapshots`, { name: 'room' })).toMatchObject({ status: 201 })
    const again = { manifest: manifest('filled-1'), remoteEntryUrl: REMOTE }
    expect(await stack.send('POST', '/api/v1/registry/modules/ingest', again)).toMatchObject({ status: 200 })
    const other = `/api/v1/buildings/${stack.other.buildingId}/data-layers`
    expect(await stack.send('POST', other, { key: 'mine', name: 'Mine', valueType: 'NUMBER' })).toMatchObject({
      status: 201,
    })
    await stack.db.run(sql`update changesets set state = 'rejected' where title = 'x'`)
    expect(await CASES[2]!.create(0)).toMatchObject({ status: 201 })
  })

  it('[QTA-01] apply to the comments of each request separately', async () => {
    const { rows: first } = { rows: await stack.db.rows<{ id: string }>(sql`select id from service_requests limit 2`) }
    const [full, empty] = first.map(({ id }) => `/api/service-desk/requests/${id}/comments`)
    await stack.db.run(sql`insert into service_request_comments (id, request_id, text, author, created_at)
      select gen_random_uuid(), ${first[0]!.id}, 'x', 'x', now() from generate_series(1, ${QUOTAS.comments.limit - 1})`)
    const answers = await Promise.all([1, 2, 3].map(() => stack.send('POST', full!, { text: 'one more' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 429, 429])
    expect(await stack.send('POST', empty!, { text: 'first' })).toMatchObject({ status: 201 })
  })

  it('[QTA-01] limit how often a draft is changed, and do not prevent its submission', async () => {
    const { body: draft } = await CASES[2]!.create(0)
    await stack.db.run(sql`insert into changeset_steps (changeset_id, position, at, actor, action)
      select ${draft.id}, i, now(), 'x', 'change' from generate_series(1, ${QUOTAS.changesetSteps.limit - 2}) i`)
    const change = () => stack.send('PATCH', `${building}/changesets/${draft.id}`, { title: 'Another' })
    expect([(await change()).status, (await change()).status]).toEqual([200, 429])
    expect((await stack.send('POST', `${building}/changesets/${draft.id}/submit`)).status).toBe(200)
  })

  it('[QTA-02] are listed in the API document and on the page of the API reference, after a short description', async () => {
    const { description } = (await stack.get('/api/v1/openapi.json', null)).body.info
    const page = (await stack.get('/docs', null)).body
    for (const name of ['layers', 'snapshots', 'openChangesets', 'webhooks', 'serviceRequests'] as const) {
      const { limit, of } = QUOTAS[name]
      expect(description).toContain(`\n| ${name} | ${limit.toLocaleString('en')} | ${of} |`)
      expect(page).toContain(`${name}</code><td>${limit.toLocaleString('en')}<td>${of}`)
    }
    const [lead] = description.split('\n\n')
    expect(lead.length).toBeLessThan(300)
    expect(page).toContain(`<p>${lead}</p>`)
  })
})
