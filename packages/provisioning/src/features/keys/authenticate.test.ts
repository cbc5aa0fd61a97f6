import { BASE62, keyText } from '@storey/contract'
import { systemClock } from '@storey/kit/clock'
import { type Queryable, sql } from '@storey/kit/database'
import { randomText } from '@storey/kit/secrets'
import { startTestRealm, type TestRealm } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EMBEDDED_SIGN_IN } from '../../sign-in-settings.ts'
import { type KeyService, testKeyService } from '../../testing/key-service.ts'
import { createAuthenticate } from './authenticate.ts'

describe('[KEY-04] a credential', () => {
  let queries = 0
  const ask = async () => {
    queries++
    return undefined
  }
  const control = { rows: ask, row: ask, run: ask } as unknown as Queryable
  const authenticate = createAuthenticate({ control, clock: systemClock, developers: undefined })
  const uncounted = () => expect.unreachable('no caller')
  const whole = keyText(randomText(BASE62, 40))
  const typo = whole.slice(0, 10) + (whole[10] === 'a' ? 'b' : 'a') + whole.slice(11)

  it.each([typo, whole.slice(0, -1), `${whole}0`, 'svc_', `svc_${'0'.repeat(46)}`])(
    'that is not a key is refused without a database query: %s',
    async (text) => {
      queries = 0
      const seen: unknown[] = []
      const use = authenticate(`Bearer ${text}`, 'sandbox', (one) => seen.push(one), uncounted)
      await expect(use).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
      expect(queries).toBe(0)
      expect(seen).toMatchObject([{ reason: 'unknown', keyId: null, organizationId: null }])
    },
  )

  it('with the form of a key is looked up once', async () => {
    queries = 0
    const use = authenticate(`Bearer ${whole}`, 'sandbox', () => undefined, uncounted)
    await expect(use).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    expect(queries).toBe(1)
  })

  it('with the form of a token is refused if there is no developers realm', async () => {
    const use = authenticate('Bearer a.b.c', 'sandbox', () => undefined, uncounted)
    await expect(use).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  })
})

describe('a token of the developers realm', () => {
  let service: KeyService
  let other: TestRealm
  beforeAll(async () => {
    service = await testKeyService()
    other = await startTestRealm('/realms/sandboxes')
  })
  afterAll(async () => {
    await service.drop()
    await other.stop()
  })
  const developer = (id: string) =>
    service.control.row(sql`select organization_id as org, email from developers where id = ${id}`)
  const claims = { azp: 'svc-portal', org_id: 'org_tokens', email: 'Ann@Example.com' }

  it('registers its developer and organization on first use, even if concurrent requests use it', async () => {
    const token = await service.realm.sign({ ...claims, sub: 'ann' })
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.mint(token)))
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(5)
    expect(await developer('ann')).toEqual({ org: 'org_tokens', email: 'ann@example.com' })
    const { plaintext } = answers.find((answer) => answer.status === 201)!.json
    expect((await service.call({ key: plaintext, path: '/api/v1/sandboxes' })).status).toBe(200)
  })

  it('does not take an email address from the developer who had it first', async () => {
    expect((await service.list(await service.realm.sign({ ...claims, sub: 'bob' }))).status).toBe(200)
    expect(await developer('bob')).toEqual({ org: 'org_tokens', email: null })
    expect((await service.list(await service.realm.sign({ ...claims, sub: 'cy', email: undefined }))).status).toBe(200)
    expect(await developer('cy')).toEqual({ org: 'org_tokens', email: null })
  })

  it('moves its developer to another organization, but not the developer’s keys', async () => {
    const moved = await service.realm.sign({ ...claims, sub: 'ann', org_id: 'org_elsewhere' })
    expect((await service.list(moved)).json.total).toBe(0)
    expect(await developer('ann')).toEqual({ org: 'org_elsewhere', email: 'ann@example.com' })
  })

  it.each([undefined, '', 7, 'tokens', 'org_', 'org_\u0000', `org_${'x'.repeat(80)}`])(
    'with the organization %j is refused',
    async (org_id) => {
      const token = await service.realm.sign({ ...claims, sub: 'dee', org_id })
      const answer = await service.call({ key: token, path: '/api/v1/sandboxes' })
      expect([answer.status, answer.json.code]).toEqual([403, 'PERMISSION_DENIED'])
      expect(await developer('dee')).toBeUndefined()
    },
  )

  const now = Math.floor(Date.now() / 1000)
  it.each<[string, () => Promise<string>]>([
    ['expired', () => service.realm.sign({ ...claims, exp: now - 60 })],
    ['not valid yet', () => service.realm.sign({ ...claims, nbf: now + 600 })],
    ['unsigned', () => service.realm.sign(claims, { alg: 'none' })],
    ['signed with the public key as a secret', () => service.realm.sign(claims, { alg: 'HS256' })],
    ['signed with an unpublished key', () => service.realm.sign(claims, { foreignKey: true })],
    [
      'signed with a key in its own header',
      () => service.realm.sign(claims, { foreignKey: true, kid: 'x', header: { jwk: other.keys()[0] } }),
    ],
    ['of another realm', () => other.sign(claims)],
    ['of another realm, with the issuer of this realm', () => other.sign({ ...claims, iss: service.realm.issuer })],
    ['[IDN-31] for another resource', () => service.realm.sign({ ...claims, aud: 'https://elsewhere.example/api' })],
    ['an ID token', () => service.realm.sign({ ...claims, at_hash: 'x' })],
    ["an ID token of Keycloak's", () => service.realm.sign({ ...claims, typ: 'ID' })],
    ['without a subject', () => service.realm.sign({ ...claims, sub: undefined })],
    ['with an invalid subject', () => service.realm.sign({ ...claims, sub: 'a\u0000b' })],
    ['no token at all', async () => 'x'],
  ])('[ERR-15] is refused if it is %s', async (_, sign) => {
    const answer = await service.list(await sign())
    expect([answer.status, answer.json.code]).toEqual([401, 'UNAUTHENTICATED'])
  })

  it('[IDN-33] gets 503 while the realm is unreachable, and is accepted afterwards', async () => {
    const late = await testKeyService()
    try {
      const token = await late.portal('org_late')
      late.realm.pause()
      expect((await late.list(token)).status).toBe(503)
      late.realm.resume()
      await expect.poll(async () => (await late.list(token)).status).toBe(200)
    } finally {
      await late.drop()
    }
  })

  it('[IDN-07] is recognized as a portal session by the claim in which its provider names the client', async () => {
    const ann = { sub: 'ann', org_id: 'org_tokens' }
    const mayList = async (client: object) =>
      (await service.list(await service.realm.sign({ ...ann, ...client }))).status
    for (const name of ['azp', 'client_id', 'cid', 'appid']) {
      expect(await mayList({ [name]: 'svc-portal' }), name).toBe(200)
      expect(await mayList({ [name]: 'svc-cli' }), name).toBe(403)
    }
    expect(await mayList({ azp: 'svc-cli', client_id: 'svc-portal' })).toBe(403)
    expect(await mayList({})).toBe(403)
  })

  it('[IDN-07] [IDN-43] is recognized as a portal session by the configured client, with the configured claims', async () => {
    const signIn = { ...EMBEDDED_SIGN_IN, portalClientId: '0oa1' }
    const developersClaims = { org_id: 'https://example.com/org_id' }
    const renamed = await testKeyService(undefined, {}, { signIn, developersClaims })
    try {
      const ann = { sub: 'ann', 'https://example.com/org_id': 'org_tokens' }
      expect((await renamed.list(await renamed.realm.sign({ ...ann, azp: '0oa1' }))).status).toBe(200)
      expect((await renamed.list(await renamed.realm.sign({ ...ann, azp: 'svc-portal' }))).status).toBe(403)
      const own = await renamed.realm.sign({ sub: 'ann', azp: '0oa1', org_id: 'org_tokens' })
      expect((await renamed.list(own)).status).toBe(403)
    } finally {
      await renamed.drop()
    }
  })

  it('gives access to the sandboxes of its developer, from any client', async () => {
    const sub = { sub: 'eve', email: 'eve@example.com' }
    const [portal, cli] = await Promise.all(
      ['svc-portal', 'svc-cli'].map((azp) => service.realm.sign({ ...claims, ...sub, azp })),
    )
    const { sandboxId } = await service.create(cli!)
    expect((await service.call({ key: portal!, path: `/api/v1/sandboxes/${sandboxId}` })).status).toBe(200)
    const { plaintext } = (await service.mint(await service.realm.sign({ ...claims, ...sub, org_id: 'org_eve' }))).json
    expect((await service.call({ key: plaintext, path: `/api/v1/sandboxes/${sandboxId}` })).status).toBe(200)
    const otherDeveloper = await service.realm.sign({ ...claims, sub: 'mal' })
    expect((await service.call({ key: otherDeveloper, path: `/api/v1/sandboxes/${sandboxId}` })).status).toBe(404)
  })
})
