import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { movableClock } from './clock.ts'
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
const sign = (options = {}) => realm.sign({ exp: Math.floor(Date.now() / 1000) + 86_400 }, options)
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

  it('[IDN-10] are not fetched for each token that names an unknown one', async () => {
    const tokens = await Promise.all(Array.from({ length: 50 }, (_, i) => sign({ kid: `guess ${i}` })))
    for (const token of tokens) {
      expect(await outcome(token)).toBe('UNAUTHENTICATED')
      clock.advance(100)
    }
    expect(realm.fetches.keys).toBe(1)
    expect(await outcome(await sign())).toBe('good')
  })

  it('[IDN-02] are found anew within seconds of a rotation', async () => {
    expect(await outcome(await sign())).toBe('good')
    await realm.rotate()
    const token = await sign()
    clock.advance(10_000)
    expect(await outcome(token)).toBe('good')
    expect(realm.fetches.keys).toBe(2)
  })

  it('[IDN-11] end with their withdrawal, within minutes', async () => {
    const token = await sign()
    expect(await outcome(token)).toBe('good')
    await realm.rotate({ forget: true })
    clock.advance(5 * MINUTE)
    await outcome(token)
    await expect.poll(() => outcome(token)).toBe('UNAUTHENTICATED')
  })

  it('[IDN-11] serve through a short outage, and not through a long one', async () => {
    const token = await sign()
    expect(await outcome(token)).toBe('good')
    realm.pause()
    clock.advance(14 * MINUTE)
    expect(await outcome(token)).toBe('good')
    clock.advance(MINUTE)
    expect(await outcome(token)).toBe('UNAUTHENTICATED')
    realm.resume()
    clock.advance(10_000)
    expect(await outcome(token)).toBe('good')
  })

  it('[IDN-11] are asked for at most once a second while they cannot be had, and had as soon as they can', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    realm.pause()
    const token = await sign()
    for (let i = 0; i < 30; i++) {
      expect(await outcome(token)).toBe('UNAUTHENTICATED')
      clock.advance(100)
    }
    expect(fetched.mock.calls.length).toBe(3)
    realm.resume()
    clock.advance(1_000)
    expect(await outcome(token)).toBe('good')
  })

  it('[IDN-11] of a realm that describes another are not taken', async () => {
    verifier = createRealmVerifier(`${realm.issuer}/`, clock)
    expect(await outcome(await realm.sign({ iss: `${realm.issuer}/` }))).toBe('UNAUTHENTICATED')
    expect(realm.fetches).toEqual({ keys: 0, discovery: 1 })
  })
})
