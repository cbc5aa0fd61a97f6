import { connect } from 'node:net'
import { BASE62, keyText } from '@storey/contract'
import { sql } from '@storey/kit/database'
import { randomText } from '@storey/kit/secrets'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KeyService, testKeyService } from '../../testing/key-service.ts'

describe('the audit', () => {
  let service: KeyService
  beforeAll(async () => {
    service = await testKeyService()
  })
  afterAll(() => service.drop())

  const newOrganization = async () => {
    const id = await service.newOrganization()
    return { id, session: await service.portal(id) }
  }
  const use = (key: string, path = '/api/v1/sandboxes') =>
    service.call({ key, path, headers: { 'user-agent': 'test/1', 'x-forwarded-for': '203.0.113.9' } })

  it('[AUD-01, AUD-02, AUD-03, AUD-05] records issuance, use and revocation', async () => {
    const { id, session } = await newOrganization()
    const { keyId, plaintext, scope, expiresAt, createdAt } = (await service.mint(session)).json
    await use(plaintext, '/api/v1/sandboxes/sbx_none?x=1')
    await use(plaintext, '/api/v1/sandboxes/sbx_none')
    await expect.poll(async () => (await service.audit(session)).json.data.length).toBe(3)
    await service.revoke(session, keyId)
    const once = { count: 1, firstAt: createdAt }
    const common = {
      ...{ id: expect.any(Number), at: createdAt, outcome: 'allowed', reason: null, keyId, scope, expiresAt },
      ...once,
    }
    const via = { sourceIp: '127.0.0.1', userAgent: null }
    const route = '/api/v1/sandboxes/:id'
    const used = { ...common, action: 'key.used', actor: keyId, method: 'GET', route, ...via, userAgent: 'test/1' }
    const actor = `ann@${id}.example`
    expect((await service.audit(session)).json).toEqual({
      data: [
        {
          ...common,
          ...via,
          action: 'key.revoked',
          actor,
          method: 'DELETE',
          route: '/api/v1/keys/:keyId',
          status: 204,
        },
        { ...used, status: 404 },
        { ...used, status: 400 },
        { ...common, ...via, action: 'key.issued', actor, method: 'POST', route: '/api/v1/keys', status: 201 },
      ],
      nextBefore: null,
    })
  })

  it('[AUD-04] records each refusal, with its reason', async () => {
    const { session } = await newOrganization()
    const mint = async (days: number) => (await service.mint(session, { expiresInDays: days })).json
    const [short, long, gone] = [await mint(1), await mint(9), await mint(9)]
    await service.revoke(session, gone.keyId)
    service.clock.advance(86_400_000)
    await use(short.plaintext)
    await use(long.plaintext, '/api/v1/keys')
    await service.mint(long.plaintext)
    await use(gone.plaintext)
    const denied = async () =>
      (await service.audit(session, '?action=key.used')).json.data.map((row: Record<string, unknown>) => [
        row.outcome,
        row.reason,
        row.keyId,
        row.status,
        row.method,
        row.route,
      ])
    await expect.poll(denied).toEqual([
      ['denied', 'revoked', gone.keyId, 401, 'GET', '/api/v1/sandboxes'],
      ['denied', 'out_of_scope', long.keyId, 403, 'POST', '/api/v1/keys'],
      ['denied', 'out_of_scope', long.keyId, 403, 'GET', '/api/v1/keys'],
      ['denied', 'expired', short.keyId, 401, 'GET', '/api/v1/sandboxes'],
    ])
    const keys = (await service.list(session)).json.data
    expect(keys.map((key: { lastUsedAt: unknown }) => key.lastUsedAt)).toEqual([null, null, null])
  })

  it('[AUD-06, KEY-20] shows unknown keys to the operator, and to no organization', async () => {
    const { id, session } = await newOrganization()
    const unknown = keyText(randomText(BASE62, 40))
    const answer = await use(unknown)
    expect([answer.status, answer.json.code]).toEqual([401, 'UNAUTHENTICATED'])
    await use('svc_mistyped', '/api/v1/keys')
    const nothing = { keyId: null, actor: null, scope: null, expiresAt: null }
    const row = { ...nothing, action: 'key.used', outcome: 'denied', reason: 'unknown', status: 401 }
    await expect.poll(async () => (await service.rows(null)).slice(0, 2)).toMatchObject([row, row])
    expect(await service.rows(id)).toEqual([])
    expect((await service.audit(session)).json.data).toEqual([])
  })

  it('[AUD-15] shows the first attempt with an unknown key soon, and counts further attempts in one row', async () => {
    const earlier = (await service.rows(null)).length
    service.clock.advance(120_000)
    const route = { method: 'GET', route: '/api/v1/sandboxes/:id' }
    const tries = () => service.rows(null).then((rows) => rows.slice(0, rows.length - earlier))
    const begun = service.clock.now().toISOString()
    for (let i = 0; i < 30; i++) {
      await service.call({
        key: keyText(randomText(BASE62, 40)),
        path: '/api/v1/sandboxes/sbx_none',
        headers: { 'user-agent': `guess/${i}` },
      })
    }
    await expect.poll(tries).toMatchObject([{ ...route, count: 1, firstAt: begun, at: begun, userAgent: 'guess/0' }])
    service.clock.advance(60_000)
    await expect
      .poll(tries)
      .toMatchObject([
        { ...route, reason: 'unknown', status: 401, count: 29, firstAt: begun, at: begun, sourceIp: '127.0.0.1' },
        { count: 1 },
      ])
  })

  it('[AUD-08] of another organization is invisible, even with filters', async () => {
    const [mine, theirs] = [await newOrganization(), await newOrganization()]
    const { keyId } = (await service.mint(theirs.session)).json
    expect((await service.audit(mine.session)).json).toEqual({ data: [], nextBefore: null })
    expect((await service.audit(mine.session, `?keyId=${keyId}`)).json).toEqual({ data: [], nextBefore: null })
    expect((await service.audit(theirs.session, `?keyId=${keyId}`)).json.data).toHaveLength(1)
  })

  it('[AUD-10, AUD-11, AUD-12] can be filtered and read in pages', async () => {
    const { session } = await newOrganization()
    const [a, b] = [(await service.mint(session)).json, (await service.mint(session)).json]
    await service.revoke(session, a.keyId)
    for (let i = 0; i < 4; i++) await use(b.plaintext)
    await expect.poll(async () => (await service.audit(session)).json.data.length).toBe(7)
    const all = (await service.audit(session)).json.data.map((row: { id: number }) => row.id)
    expect(all).toEqual([...all].sort((x, y) => y - x))

    const actions = async (query: string) =>
      (await service.audit(session, query)).json.data.map((row: { action: string }) => row.action)
    expect(await actions(`?keyId=${a.keyId}`)).toEqual(['key.revoked', 'key.issued'])
    expect(await actions('?action=key.issued')).toEqual(['key.issued', 'key.issued'])
    expect(await actions(`?action=key.used&keyId=${b.keyId}`)).toEqual(Array(4).fill('key.used'))

    const pages: number[] = []
    let query = '?limit=3'
    for (;;) {
      const { data, nextBefore } = (await service.audit(session, query)).json
      pages.push(...data.map((row: { id: number }) => row.id))
      if (nextBefore === null) break
      expect(nextBefore).toBe(data.at(-1).id)
      query = `?limit=3&before=${nextBefore}`
    }
    expect(pages).toEqual(all)
    expect((await service.audit(session, '?limit=7')).json.nextBefore).toBeNull()
    expect((await service.audit(session, '?limit=500')).status).toBe(200)
    expect((await service.audit(session, '?limit=501')).json).toMatchObject({ status: 400, code: 'LIMIT_TOO_LARGE' })
  })

  it('[AUD-11] returns a hundred rows by default', async () => {
    const { id, session } = await newOrganization()
    await service.control.run(sql`insert into key_audit (at, organization_id, action, outcome)
      select now(), ${id}, 'key.used', 'allowed' from generate_series(1, 101)`)
    const { data, nextBefore } = (await service.audit(session)).json
    expect([data.length, nextBefore]).toEqual([100, data[99].id])
  })

  it.each(['action=key.minted', 'keyId=x', 'keyId=%00', 'limit=0', 'limit=x', 'before=0', 'before=x', 'offset=1'])(
    '[AUD-10] refuses ?%s',
    async (query) => {
      const { session } = await newOrganization()
      const answer = await service.audit(session, `?${query}`)
      expect([answer.status, answer.json.code]).toEqual([400, 'VALIDATION_FAILED'])
      expect(answer.json.errors[0].pointer).toBe(`/${query.split('=')[0]}`)
    },
  )

  it('[AUD-13] writes a row together with the change that it records, or neither', async () => {
    const { id, session } = await newOrganization()
    const { keyId } = (await service.mint(session)).json
    await service.control.run(sql`alter table key_audit rename to mislaid`)
    expect((await service.mint(session)).status).toBe(500)
    expect((await service.revoke(session, keyId)).status).toBe(500)
    await service.control.run(sql`alter table mislaid rename to key_audit`)
    expect((await service.list(session)).json).toMatchObject({ total: 1, data: [{ status: 'active' }] })
    expect(await service.rows(id)).toHaveLength(1)
  })

  it('[AUD-01] records keys that the operator creates', async () => {
    const { id } = await newOrganization()
    const { key } = await service.operatorKey(id, 'full')
    expect(await service.rows(id)).toMatchObject([
      { action: 'key.issued', keyId: key.id, actor: 'operator', scope: 'full', expiresAt: null, status: null },
    ])
  })

  it('[AUD-02] records a request whose client disconnected before the response', async () => {
    const { id } = await newOrganization()
    const { plaintext } = await service.operatorKey(id, 'sandbox')
    // The table that the request reads stays locked until the client has disconnected.
    await service.control.transaction(async (tx) => {
      await tx.run(sql`lock table sandboxes in access exclusive mode`)
      const socket = connect(service.port(), '127.0.0.1')
      socket.write(`GET /api/v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${plaintext}\r\n\r\n`)
      await new Promise((resolve) => setTimeout(resolve, 300))
      socket.destroy()
      await expect
        .poll(async () => (await service.rows(id))[0])
        .toMatchObject({ action: 'key.used', outcome: 'allowed', status: null, sourceIp: '127.0.0.1' })
    })
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(await service.rows(id)).toHaveLength(2)
  })

  it('writes every use soon, and the last uses when the service stops', async () => {
    const { id } = await newOrganization()
    const { plaintext } = await service.operatorKey(id, 'sandbox')
    await use(plaintext)
    await expect.poll(async () => (await service.rows(id)).length, { interval: 20 }).toBe(2)
    for (let i = 0; i < 20; i++) await use(plaintext)
    await service.restart()
    expect(await service.rows(id)).toHaveLength(22)
  })

  it('cannot be changed', async () => {
    const { id } = await newOrganization()
    await service.operatorKey(id, 'full')
    for (const change of [
      sql`update key_audit set actor = 'x' where organization_id = ${id}`,
      sql`delete from key_audit where organization_id = ${id}`,
      sql`truncate key_audit`,
    ]) {
      await expect(service.control.run(change)).rejects.toThrow('append-only')
    }
    expect(await service.rows(id)).toHaveLength(1)
  })
})
