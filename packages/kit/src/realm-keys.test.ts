import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { movableClock } from './clock.ts'
import { createLog } from './log.ts'
import { startTestRealm, type TestRealm } from './testing/realm.ts'
import { createRealmVerifier, type TokenVerifier } from './tokens.ts'

let realm: TestRealm
let clock: ReturnType<typeof movableClock>
let verifier: TokenVerifier

beforeEach(async () => {
  realm = await startTestRealm()
  clock = movableClock()
  verifier = createRealmVerifier(realm.issuer, clock)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await realm.stop()
})

const MINUTE = 60_000
const sign = (options = {}) => realm.sign({ exp: Math.floor(Date.now() / 1000) + 3 * 86_400 }, options)
const outcome = async (token: string) =>
  verifier.verify(token).then(
    () => 'good',
    ({ code }) => code,
  )

describe('the keys of a realm', () => {
  it('[IDN-02] are fetched once for many tokens', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => sign()))
    expect(new Set(await Promise.all(tokens.map(outcome)))).toEqual(new Set(['good']))
    expect(realm.fetches).toEqual({ keys: 1, discovery: 1 })
  })

  it('[IDN-10] are not fetched again for each token with an unknown key', async () => {
    const tokens = await Promise.all(Array.from({ length: 50 }, (_, i) => sign({ kid: `guess ${i}` })))
    for (const token of tokens) {
      expect(await outcome(token)).toBe('UNAUTHENTICATED')
      clock.advance(100)
    }
    expect(realm.fetches.keys).toBe(4)
    expect(await outcome(await sign())).toBe('good')
  })

  it('[IDN-02] are fetched again immediately after a rotation, even right after another fetch', async () => {
    expect(await outcome(await sign())).toBe('good')
    for (let rotation = 1; rotation <= 2; rotation++) {
      await realm.rotate()
      const tokens = await Promise.all(Array.from({ length: 10 }, () => sign()))
      expect(new Set(await Promise.all(tokens.map(outcome)))).toEqual(new Set(['good']))
      expect(realm.fetches.keys).toBe(1 + rotation)
    }
  })

  it('[IDN-02] are fetched again if a key was published during a fetch', async () => {
    expect(await outcome(await sign())).toBe('good')
    clock.advance(5 * MINUTE)
    const known = await sign()
    const held = realm.holdKeys()
    // This starts a fetch that reads the keys before the rotation.
    expect(await outcome(known)).toBe('good')
    await expect.poll(() => realm.fetches.keys, { interval: 5 }).toBe(2)
    await realm.rotate()
    const verified = outcome(await sign())
    held.release()
    expect(await verified).toBe('good')
    expect(realm.fetches.keys).toBe(3)
  })

  it('[IDN-02] are fetched again for the first token that is signed with a new key, ten seconds after the last fetch', async () => {
    expect(await outcome(await sign())).toBe('good')
    await realm.rotate()
    const token = await sign()
    clock.advance(10_000)
    expect(await outcome(token)).toBe('good')
    expect(realm.fetches.keys).toBe(2)
  })

  it('[IDN-02] are fetched again after a clock that was ahead is set back', async () => {
    const month = 30 * 24 * 60 * MINUTE
    expect(await outcome(await sign())).toBe('good')
    clock.advance(month)
    await outcome(await sign())
    clock.advance(-month)
    await realm.rotate()
    expect(await outcome(await sign())).toBe('good')
  })

  it('[IDN-11] become invalid within minutes of their withdrawal', async () => {
    const token = await sign()
    expect(await outcome(token)).toBe('good')
    await realm.rotate({ forget: true })
    clock.advance(5 * MINUTE)
    await outcome(token)
    await expect.poll(() => outcome(token)).toBe('UNAUTHENTICATED')
  })

  it('[IDN-11] stay valid for a day while the realm is unreachable, and no longer', async () => {
    const token = await sign()
    expect(await outcome(token)).toBe('good')
    realm.pause()
    clock.advance(23 * 60 * MINUTE)
    expect(await outcome(token)).toBe('good')
    clock.advance(60 * MINUTE)
    expect(await outcome(token)).toBe('NOT_READY')
    realm.resume()
    clock.advance(10_000)
    expect(await outcome(token)).toBe('good')
  })

  it('[IDN-11] are requested at most once a second while the realm is unreachable, and used as soon as they arrive', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    realm.pause()
    const token = await sign()
    for (let i = 0; i < 30; i++) {
      expect(await outcome(token)).toBe('NOT_READY')
      clock.advance(100)
    }
    expect(fetched.mock.calls.length).toBe(3)
    realm.resume()
    clock.advance(1_000)
    expect(await outcome(token)).toBe('good')
  })

  it('[IDN-11] are not fetched if the issuer in the discovery document is not the configured issuer', async () => {
    verifier = createRealmVerifier(`${realm.issuer}/`, clock)
    expect(await outcome(await realm.sign({ iss: `${realm.issuer}/` }))).toBe('NOT_READY')
    expect(realm.fetches).toEqual({ keys: 0, discovery: 1 })
  })

  it('[IDN-04] are found for an issuer that ends with a slash, such as that of Auth0', async () => {
    const other = await startTestRealm('/')
    const { verify } = createRealmVerifier(other.issuer, clock)
    expect(await verify(await other.sign())).toMatchObject({ iss: expect.stringMatching(/:\d+\/$/) })
    await other.stop()
  })

  it('[IDN-33] cannot be fetched during an outage: tokens get a 503 with Retry-After, and the start and the end of the outage are logged once', async () => {
    const lines: [string, string][] = []
    const log = createLog({ level: 'info', form: 'json', name: 'test' })
    vi.spyOn(log, 'warn').mockImplementation(((_: object, text: string) => lines.push(['warn', text])) as never)
    vi.spyOn(log, 'info').mockImplementation(((_: object, text: string) => lines.push(['info', text])) as never)
    verifier = createRealmVerifier(realm.issuer, clock, { log })
    realm.pause()
    for (let i = 0; i < 20; i++) {
      await expect(verifier.verify(await sign())).rejects.toMatchObject({
        status: 503,
        cause: undefined,
        code: 'NOT_READY',
        headers: { 'retry-after': '5' },
      })
      clock.advance(500)
    }
    expect(lines).toEqual([
      ['warn', 'identity provider unreachable, tokens get 503 unless they are signed with a valid cached key'],
    ])
    expect(await outcome('garbage')).toBe('UNAUTHENTICATED')
    realm.resume()
    clock.advance(1_000)
    expect(await outcome(await sign())).toBe('good')
    expect(lines.slice(1)).toEqual([['info', 'identity provider reachable again']])
  })

  it('[IDN-33] stay in use while the realm is unreachable; a token signed with an unknown key gets 503', async () => {
    const known = await sign()
    expect(await outcome(known)).toBe('good')
    await realm.rotate()
    const unseen = await sign()
    realm.pause()
    clock.advance(30 * MINUTE)
    expect(await outcome(known)).toBe('good')
    expect(await outcome(unseen)).toBe('NOT_READY')
    realm.resume()
    clock.advance(10_000)
    expect(await outcome(unseen)).toBe('good')
  })
})

describe('the claims of a realm', () => {
  it('[IDN-43] are returned under the names that Storey uses, whatever the provider names them', async () => {
    const claims = { sub: 'oid', org_id: 'https://example.com/org_id', roles: 'groups' }
    const renaming = createRealmVerifier(realm.issuer, clock, { claims })
    const token = await realm.sign({
      sub: 'pairwise',
      oid: 'ann',
      'https://example.com/org_id': 'org_1',
      groups: ['user'],
    })
    expect(await renaming.verify(token)).toMatchObject({
      sub: 'ann',
      org_id: 'org_1',
      realm_access: { roles: ['user'] },
    })
    const foreign = await realm.sign({ org_id: 'org_2', realm_access: { roles: ['admin'] } })
    expect(await renaming.verify(foreign)).toMatchObject({ org_id: undefined, realm_access: { roles: [] } })
  })
})
