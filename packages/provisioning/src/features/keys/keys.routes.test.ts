import { isKeyText } from '@storey/contract'
import { sql } from '@storey/kit/database'
import { sha256 } from '@storey/kit/secrets'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KeyService, testKeyService } from '../../testing/key-service.ts'

const DAY_MS = 86_400_000

describe('the key API', () => {
  let service: KeyService
  beforeAll(async () => {
    service = await testKeyService()
  })
  afterAll(() => service.drop())

  const newOrganization = async () => {
    const id = await service.newOrganization()
    return { id, session: await service.portal(id) }
  }

  it('[KEY-01, KEY-03, KEY-08, KEY-09] creates a key for a session of the portal', async () => {
    const { session } = await newOrganization()
    const answer = await service.mint(session)
    expect(answer.status).toBe(201)
    expect(answer.headers['cache-control']).toBe('no-store')
    const now = service.clock.now().getTime()
    expect(answer.json).toEqual({
      keyId: expect.stringMatching(/^key_[0-9a-z]{16}$/),
      label: 'ci',
      scope: 'sandbox',
      status: 'active',
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + 90 * DAY_MS).toISOString(),
      plaintext: expect.stringMatching(/^svc_[0-9A-Za-z]{46}$/),
    })
    expect(isKeyText(answer.json.plaintext)).toBe(true)
  })

  it('[KEY-02, KEY-05, KEY-13] stores only a hash, and lists keys without their text', async () => {
    const { id, session } = await newOrganization()
    const { plaintext, ...minted } = (await service.mint(session, { label: ' Größe 1 ', scope: 'full' })).json
    const list = await service.list(session)
    expect(list.json).toEqual({
      data: [{ ...minted, label: 'Größe 1', lastUsedAt: null, isOperatorKey: false }],
      total: 1,
      limit: 50,
      offset: 0,
    })
    const rows = await service.control.rows<{ row: string; hash: Buffer }>(
      sql`select api_keys::text as row, hash from api_keys where organization_id = ${id}`,
    )
    expect(rows[0]!.hash).toEqual(sha256(plaintext))
    expect(rows[0]!.row).not.toContain(plaintext.slice(4))
  })

  it('[KEY-13] lists keys in pages, newest first, with the time of their last use', async () => {
    const { session } = await newOrganization()
    const first = (await service.mint(session, { label: 'one' })).json
    service.clock.advance(1_000)
    await service.mint(session, { label: 'two' })
    await service.call({ key: first.plaintext, path: '/api/v1/sandboxes' })
    await expect
      .poll(async () => (await service.list(session, '?limit=1&offset=1')).json)
      .toMatchObject({
        data: [{ label: 'one', lastUsedAt: service.clock.now().toISOString() }],
        total: 2,
        limit: 1,
        offset: 1,
      })
    expect((await service.list(session, '?limit=201')).json.code).toBe('LIMIT_TOO_LARGE')
    expect((await service.list(session, '?state=active')).json.errors).toEqual([
      { pointer: '/state', in: 'query', detail: 'state is not a known field' },
    ])
  })

  it.each([
    [{ expiresInDays: 0 }, '/expiresInDays'],
    [{ expiresInDays: 366 }, '/expiresInDays'],
    [{ expiresInDays: 1.5 }, '/expiresInDays'],
    [{ expiresInDays: '7' }, '/expiresInDays'],
    [{ scope: 'admin' }, '/scope'],
    [{ scope: ['sandbox', 'full'] }, '/scope'],
    [{ label: '' }, '/label'],
    [{ label: '   ' }, '/label'],
    [{ label: 'a\u2028b' }, '/label'],
    [{ label: 'a\u0000b' }, '/label'],
    [{ label: 'x'.repeat(101) }, '/label'],
    [{ label: undefined }, '/label'],
    [{ ttl: 5 }, '/ttl'],
  ])('[KEY-06, KEY-07] refuses to create a key with %j', async (body, pointer) => {
    const { session } = await newOrganization()
    const answer = await service.mint(session, body as object)
    expect(answer.status).toBe(400)
    expect(answer.json.errors[0].pointer).toBe(pointer)
  })

  it('[KEY-06, KEY-07] accepts the shortest and the longest expiry, and each scope', async () => {
    const { session } = await newOrganization()
    const now = service.clock.now().getTime()
    for (const [scope, expiresInDays] of [
      ['sandbox', 1],
      ['publish', 365],
      ['full', 30],
    ] as const) {
      const { status, json } = await service.mint(session, { scope, expiresInDays, label: 'x'.repeat(100) })
      expect([status, json.scope]).toEqual([201, scope])
      expect(json.expiresAt).toBe(new Date(now + expiresInDays * DAY_MS).toISOString())
    }
  })

  it('[KEY-15, KEY-19] refuses a revoked key from the next request on, and accepts a repeated revocation', async () => {
    const { session } = await newOrganization()
    const { keyId, plaintext } = (await service.mint(session)).json
    expect((await service.call({ key: plaintext, path: '/api/v1/sandboxes' })).status).toBe(200)
    const body = await service.call({
      key: session,
      path: `/api/v1/keys/${keyId}`,
      method: 'DELETE',
      body: { why: 'x' },
    })
    expect(body.json.errors[0].pointer).toBe('/why')
    expect((await service.revoke(session, keyId)).status).toBe(204)
    const refused = await service.call({ key: plaintext, path: '/api/v1/sandboxes' })
    expect([refused.status, refused.json.code]).toEqual([401, 'KEY_REVOKED'])
    expect((await service.revoke(session, keyId)).status).toBe(204)
    expect((await service.list(session)).json.data[0].status).toBe('revoked')
  })

  it('[KEY-18] refuses an expired key', async () => {
    const { session } = await newOrganization()
    const { plaintext } = (await service.mint(session, { expiresInDays: 1 })).json
    service.clock.advance(DAY_MS - 1)
    expect((await service.call({ key: plaintext, path: '/api/v1/sandboxes' })).status).toBe(200)
    service.clock.advance(1)
    const refused = await service.call({ key: plaintext, path: '/api/v1/sandboxes' })
    expect([refused.status, refused.json.code]).toEqual([401, 'KEY_EXPIRED'])
    expect((await service.list(session)).json.data[0].status).toBe('expired')
  })

  it('[KEY-12, KEY-17] lists and revokes only keys of the caller’s organization', async () => {
    const [mine, theirs] = [await newOrganization(), await newOrganization()]
    const { keyId, plaintext } = (await service.mint(theirs.session, { scope: 'full' })).json
    const own = (await service.mint(mine.session, { scope: 'full' })).json
    for (const key of [mine.session, own.plaintext]) {
      expect((await service.revoke(key, keyId)).status).toBe(404)
      expect((await service.list(key)).json.total).toBe(1)
    }
    for (const unknown of ['key_0000000000000000', 'audit', '%00', 'svc_x']) {
      expect((await service.revoke(mine.session, unknown)).status).toBe(404)
    }
    expect((await service.list(plaintext)).json.data[0].keyId).toBe(keyId)
  })

  it('[KEY-22, KEY-23] allows five active keys of an organization, besides keys of the operator', async () => {
    const { id, session } = await newOrganization()
    await service.operatorKey(id, 'full')
    const keys = []
    for (let i = 0; i < 5; i++) keys.push((await service.mint(session, { expiresInDays: i < 4 ? 9 : 1 })).json)
    const sixth = await service.mint(session)
    expect(sixth.json).toMatchObject({ status: 429, code: 'QUOTA_EXCEEDED', quota: 'keys', limit: 5, used: 5 })
    await service.revoke(session, keys[0].keyId)
    expect((await service.mint(session)).status).toBe(201)
    expect((await service.mint(session)).status).toBe(429)
    service.clock.advance(DAY_MS)
    expect((await service.mint(session)).status).toBe(201)
    expect((await service.mint(session)).status).toBe(429)
    expect((await service.mint((await newOrganization()).session)).status).toBe(201)
  })

  it('[QTA-01] limits how many keys are created in a day, even if they are revoked', async () => {
    const { id, session } = await newOrganization()
    const { keyId } = (await service.mint(session)).json
    await service.control.run(sql`insert into api_keys (id, organization_id, developer_id, label, scope, hash,
        operator_minted, created_at, expires_at, revoked_at)
      select 'key_' || ${id.toLowerCase().replace('org_', '')} || i, organization_id, developer_id, label, scope,
        sha256((${id} || i)::bytea), false, created_at, expires_at, created_at
      from api_keys, generate_series(1, 98) i where id = ${keyId}`)
    const answers = await Promise.all([1, 2, 3].map(() => service.mint(session)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 429, 429])
    const refused = answers.find(({ status }) => status === 429)!
    expect(refused.json).toMatchObject({ code: 'QUOTA_EXCEEDED', quota: 'keysPerDay', limit: 100, used: 100 })
    service.clock.advance(DAY_MS + 1)
    expect((await service.mint(session)).status).toBe(201)
  })

  it('[KEY-24] creates only five keys for twenty concurrent requests', async () => {
    const { id, session } = await newOrganization()
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.mint(session)))
    expect(answers.map((answer) => answer.status).sort()).toEqual([...Array(5).fill(201), ...Array(15).fill(429)])
    const { data } = (await service.list(session)).json
    expect(data.filter((key: { status: string }) => key.status === 'active')).toHaveLength(5)
    expect((await service.rows(id)).filter((row) => row.action === 'key.issued')).toHaveLength(5)
  })
})
