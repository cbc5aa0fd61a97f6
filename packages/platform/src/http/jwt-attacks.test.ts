import { createHmac, sign as signBytes } from 'node:crypto'
import { movableClock } from '@storey/kit/clock'
import { deriveSigningKey } from '@storey/kit/secrets'
import { startTestRealm, type TestRealm } from '@storey/kit/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startTestHttp, type TestHttp } from '../testing/test-http.ts'
import { ORGANIZATION_ID, SANDBOX_ID, sandboxToken, TOKEN_RULES } from '../testing/tokens.ts'

let realm: TestRealm
let developers: TestRealm
let clock: ReturnType<typeof movableClock>
let http: TestHttp

beforeAll(async () => {
  realm = await startTestRealm('/realms/sandboxes')
  developers = await startTestRealm('/realms/developers')
})
afterAll(async () => {
  await realm.stop()
  await developers.stop()
})
beforeEach(async () => {
  clock = movableClock()
  http = await startTestHttp({ sandboxesIssuer: realm.issuer, clock })
})

type Part = Record<string, unknown>
type Sign = (bytes: string) => Buffer

const seconds = () => Math.floor(Date.now() / 1000)
const good = (): Part => ({ tenant_id: ORGANIZATION_ID, realm_access: { roles: ['admin'] } })
const ofRealm = (claims: Part = {}, options = {}) => realm.sign({ ...good(), ...claims }, options)
const realmClaims = () => ({ ...good(), iss: realm.issuer, sub: 'u1', iat: seconds(), exp: seconds() + 300 })
const sandboxClaims = () => ({
  ...good(),
  iss: TOKEN_RULES.issuer,
  sub: SANDBOX_ID,
  aud: SANDBOX_ID,
  iat: seconds(),
  exp: seconds() + 300,
})

const encoded = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')
/** A token that is assembled by hand, since no library would create it. */
function handmade(header: Part, claims: unknown, sign: Sign): string {
  const body = `${encoded(header)}.${encoded(claims)}`
  return `${body}.${sign(body).toString('base64url')}`
}
const hmac =
  (secret: string | Buffer): Sign =>
  (bytes) =>
    createHmac('sha256', secret).update(bytes).digest()
const unsigned: Sign = () => Buffer.alloc(0)
const sandboxKey = deriveSigningKey('test master', 'sandbox-tokens')
const sandboxSigned: Sign = (bytes) => signBytes(null, Buffer.from(bytes), sandboxKey)
const publishedKey = () => realm.keys().at(-1)!

async function answer(token: string) {
  const { status, body } = await http.get('/routes/building.graph-read', token)
  return status === 200 ? 'allowed' : `${status} ${body.code}`
}
const REFUSED = '401 UNAUTHENTICATED'

describe('a good token', () => {
  it.each([
    ['of the realm', () => ofRealm()],
    ['of the realm, marked as an access token', () => ofRealm({}, { header: { typ: 'at+jwt' } })],
    ['of the realm, marked as Keycloak does', () => ofRealm({ typ: 'Bearer' })],
    ['of the sandbox', () => sandboxToken()],
    ['of the sandbox, made by hand', async () => handmade({ alg: 'EdDSA' }, sandboxClaims(), sandboxSigned)],
    [
      '[IDN-32] of the sandbox, from before the service moved',
      async () => handmade({ alg: 'EdDSA' }, { ...sandboxClaims(), iss: 'https://old.example' }, sandboxSigned),
    ],
  ])('%s is accepted, so the tokens of the other tests are refused only for their defect', async (_, token) => {
    expect(await answer(await token())).toBe('allowed')
  })
})

describe('[IDN-09] a wrong signature', () => {
  it.each([
    ['alg none', () => ofRealm({}, { alg: 'none' })],
    ['alg none in mixed case', async () => handmade({ alg: 'nOnE' }, realmClaims(), unsigned)],
    ['alg none for the sandbox token', async () => handmade({ alg: 'none' }, sandboxClaims(), unsigned)],
    ['no algorithm', async () => handmade({}, realmClaims(), unsigned)],
    ['an empty signature', async () => (await ofRealm()).replace(/[^.]+$/, '')],
    [
      'the signature of other claims',
      async () => (await ofRealm()).replace(/\.[^.]+\./, `.${encoded(realmClaims())}.`),
    ],
    ["HS256 with the realm's public key as PEM", () => ofRealm({}, { alg: 'HS256' })],
    [
      "HS256 with the realm's public key as JWK",
      async () =>
        handmade({ alg: 'HS256', kid: publishedKey().kid }, realmClaims(), hmac(JSON.stringify(publishedKey()))),
    ],
    [
      "HS256 with the modulus of the realm's key",
      async () =>
        handmade(
          { alg: 'HS256', kid: publishedKey().kid },
          realmClaims(),
          hmac(Buffer.from(publishedKey().n!, 'base64url')),
        ),
    ],
    [
      "HS256 with the sandbox's public key",
      async () =>
        handmade({ alg: 'HS256' }, sandboxClaims(), hmac(Buffer.from(TOKEN_RULES.publicKey.x as string, 'base64url'))),
    ],
    ["signed with another key under the realm's key id", () => ofRealm({}, { foreignKey: true })],
    ["another realm's signature, in this realm's name", () => developers.sign({ ...good(), iss: realm.issuer })],
    ["the realm's signature, in the sandbox's name", () => ofRealm({ iss: TOKEN_RULES.issuer, aud: SANDBOX_ID })],
    [
      "the sandbox's signature, in the realm's name",
      async () => handmade({ alg: 'EdDSA' }, { ...sandboxClaims(), iss: realm.issuer }, sandboxSigned),
    ],
  ])('is refused: %s', async (_, token) => {
    expect(await answer(await token())).toBe(REFUSED)
  })
})

describe('[IDN-10] a token with its own key or with critical parameters in its header', () => {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: TOKEN_RULES.publicKey.x }
  const address = 'https://attacker.example/keys'
  it.each([
    ['jwk', { jwk }],
    ['jku', { jku: address }],
    ['x5u', { x5u: address }],
    ['x5c', { x5c: ['MIIB'] }],
  ])('is refused, whichever key signed it: %s', async (_, header) => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    expect(await answer(await ofRealm({}, { header, foreignKey: true }))).toBe(REFUSED)
    expect(await answer(await ofRealm({}, { header, foreignKey: true, kid: 'theirs' }))).toBe(REFUSED)
    expect(await answer(await ofRealm({}, { header }))).toBe(REFUSED)
    expect(await answer(handmade({ alg: 'EdDSA', ...header }, sandboxClaims(), sandboxSigned))).toBe(REFUSED)
    expect(fetched.mock.calls.map(([url]) => String(url)).filter((url) => url.startsWith(address))).toEqual([])
    vi.restoreAllMocks()
  })

  it.each([
    ['an unknown parameter', { crit: ['purpose'], purpose: 'x' }],
    ['an unencoded payload', { crit: ['b64'], b64: false }],
    ['an empty list', { crit: [] }],
  ])('is refused for its critical parameters: %s', async (_, header) => {
    expect(await answer(handmade({ alg: 'EdDSA', ...header }, sandboxClaims(), sandboxSigned))).toBe(REFUSED)
  })
})

describe('[IDN-09] a token with invalid claims', () => {
  it.each([
    ['expired', () => ofRealm({ exp: seconds() - 30 })],
    ['not yet valid', () => ofRealm({ nbf: seconds() + 60 })],
    ['without an expiry time', () => ofRealm({ exp: undefined })],
    ['with an expiry time that is not a number', () => ofRealm({ exp: 'never' })],
    ['without a time of issue', () => ofRealm({ iat: undefined })],
    ['without a subject', () => ofRealm({ sub: undefined })],
    ['with a subject that is not a text', () => ofRealm({ sub: 7 })],
    ['with an empty subject', () => ofRealm({ sub: '' })],
    ['of another issuer', () => ofRealm({ iss: 'https://elsewhere.example' })],
    ['with a list of issuers', () => ofRealm({ iss: [realm.issuer] })],
    ['of no issuer', () => ofRealm({ iss: undefined })],
    ['of a sandbox, expired', () => sandboxToken({ exp: seconds() - 30 })],
    ['of a sandbox, not yet valid', () => sandboxToken({ nbf: seconds() + 60 })],
    ['of a sandbox, without an audience', () => sandboxToken({ aud: undefined })],
  ])('is refused: %s', async (_, token) => {
    expect(await answer(await token())).toBe(REFUSED)
  })

  it('[IDN-13] is refused if it belongs to another sandbox', async () => {
    expect(await answer(await sandboxToken({ aud: 'sbx_other' }))).toBe(REFUSED)
    expect(await answer(await sandboxToken({ aud: ['sbx_other', 'sbx_third'] }))).toBe(REFUSED)
  })

  it('[IDN-31] is refused if it is for another resource', async () => {
    const audience = `${realm.issuer}/api`
    http = await startTestHttp({ sandboxesIssuer: realm.issuer, clock, sandboxesAudience: { required: audience } })
    expect(await answer(await ofRealm({ aud: audience }))).toBe('allowed')
    expect(await answer(await ofRealm({ aud: ['account', audience] }))).toBe('allowed')
    for (const aud of [undefined, 'account', 'https://elsewhere.example', SANDBOX_ID, `${audience}/`]) {
      expect(await answer(await ofRealm({ aud })), String(aud)).toBe(REFUSED)
    }
    expect(await answer(await sandboxToken())).toBe('allowed')
  })

  it('[IDN-12] is refused if it is a developer token or an API key', async () => {
    expect(await answer(await developers.sign({ ...good(), azp: 'svc-portal' }))).toBe(REFUSED)
    expect(await answer(`svc_${'a'.repeat(46)}`)).toBe(REFUSED)
  })

  it.each([
    ['an ID token, as Keycloak marks it', { typ: 'ID' }, {}],
    ['a refresh token, as Keycloak marks it', { typ: 'Refresh' }, {}],
    ['an offline token, as Keycloak marks it', { typ: 'Offline' }, {}],
    ['an ID token, by its hash of an access token', { at_hash: 'x' }, {}],
    ['a logout token, by its events', { events: {} }, {}],
    ['a logout token', {}, { typ: 'logout+jwt' }],
    ['a proof of possession', {}, { typ: 'dpop+jwt' }],
    ['a type that is not a text', {}, { typ: 7 }],
  ])('is refused: %s', async (_, claims, header) => {
    expect(await answer(await ofRealm(claims, { header }))).toBe(REFUSED)
  })
})

describe('[ERR-15] a text that is not a token, or is too long', () => {
  it.each([
    ['a word', 'abc'],
    ['dots', '...'],
    ['two dots', '..'],
    ['three words', 'a.b.c'],
    ['five words', 'a.b.c.d.e'],
    ['a header that is not JSON', `${encoded('{')}.${encoded('{}')}.x`],
    ['claims that are a list', handmade({ alg: 'EdDSA' }, [], sandboxSigned)],
    ['claims that are null', handmade({ alg: 'EdDSA' }, 'null', sandboxSigned)],
    ['64 KB of one letter', 'a'.repeat(65_536)],
    ['64 KB of dots', '.'.repeat(65_536)],
  ])('is refused: %s', async (_, token) => {
    expect(await answer(token)).toBe(REFUSED)
  })

  it('is refused at 64 KB, even with a valid signature', async () => {
    expect(await answer(await ofRealm({ filler: 'a'.repeat(65_536) }))).toBe(REFUSED)
    expect(await answer(await sandboxToken({ filler: 'a'.repeat(65_536) }))).toBe(REFUSED)
  })
})

describe("the realm's keys", () => {
  it('[IDN-10] are not fetched for each token with an unknown key id', async () => {
    await answer(await ofRealm())
    const before = realm.fetches.keys
    for (let i = 0; i < 40; i++) expect(await answer(await ofRealm({}, { kid: `guess ${i}` }))).toBe(REFUSED)
    expect(realm.fetches.keys - before).toBe(3)
    clock.advance(10_000)
    for (let i = 0; i < 40; i++) expect(await answer(await ofRealm({}, { kid: `guess ${i}` }))).toBe(REFUSED)
    expect(realm.fetches.keys - before).toBe(4)
  })

  it('are not fetched at all for tokens of other issuers', async () => {
    const before = { ...realm.fetches }
    await answer(await developers.sign(good()))
    await answer(await sandboxToken())
    await answer('abc')
    expect(realm.fetches).toEqual(before)
    expect(developers.fetches).toEqual({ keys: 0, discovery: 0 })
  })

  it('[IDN-11, IDN-33] cause 503 for realm tokens, not for the sandbox token, while they are unreachable', async () => {
    realm.pause()
    const token = await ofRealm()
    expect(await answer(token)).toBe('503 NOT_READY')
    expect(await answer(await sandboxToken())).toBe('allowed')
    realm.resume()
    clock.advance(1_000)
    expect(await answer(token)).toBe('allowed')
  })

  it('[IDN-02] can be rotated: a new key is accepted within ten seconds', async () => {
    const old = await ofRealm()
    expect(await answer(old)).toBe('allowed')
    await realm.rotate()
    clock.advance(10_000)
    expect(await answer(await ofRealm())).toBe('allowed')
    expect(await answer(old)).toBe('allowed')
  })

  it('[IDN-12] do not exist without a realm: only the sandbox token is accepted', async () => {
    http = await startTestHttp()
    expect(await answer(await ofRealm())).toBe(REFUSED)
    expect(await answer(await sandboxToken())).toBe('allowed')
  })
})
