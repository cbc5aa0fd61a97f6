import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, UnreachableError } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { type Answer, scriptedService } from '../testing/scripted-service.ts'
import { newHome, testClock } from '../testing/test-context.ts'
import { configFolder } from './config-folder.ts'
import { keepSession } from './keep-session.ts'
import { withLock } from './lock.ts'
import { openStore } from './open-store.ts'

/** A realm that rotates refresh tokens, and accepts each once. */
async function rotatingRealm() {
  let current = 1
  const spent: string[] = []
  const service = await scriptedService(({ path, body, headers }) => {
    const issuer = `http://${headers.host}`
    if (path.includes('openid-configuration')) return { json: { issuer, token_endpoint: `${issuer}/token` } }
    const token = new URLSearchParams(body).get('refresh_token')!
    spent.push(token)
    if (token !== `refresh-${current}`) return { status: 400, json: { error: 'invalid_grant' } }
    current += 1
    return {
      json: {
        access_token: `access-${current}.a.b`,
        token_type: 'Bearer',
        refresh_token: `refresh-${current}`,
        expires_in: 600,
      },
    }
  })
  return { url: service.url, spent }
}

async function signedIn(expiresInMs: number) {
  const { url, spent } = await rotatingRealm()
  const environment = { env: newHome(), system: 'linux' as const }
  const [store, folder, clock] = [openStore(environment), configFolder(environment), testClock()]
  const expiresAt = clock.now() + expiresInMs
  const session = { issuer: url, accessToken: 'access-1', expiresAt, refreshToken: 'refresh-1' }
  await store.write('service', session)
  /** Simulates another process, with its own store and its own copy of the session. */
  const keeper = () =>
    keepSession({ store: openStore(environment), service: 'service', folder, fetch: connect, clock }, session)
  return { keeper, spent, store, folder }
}

describe('a stored session', () => {
  it('is used unchanged while it does not expire soon', async () => {
    const { keeper, spent } = await signedIn(60_000)
    expect(await keeper().token()).toBe('access-1')
    expect(spent).toEqual([])
  })

  it('[CLI-03] is refreshed shortly before it expires, and the new tokens are stored', async () => {
    const { keeper, spent, store } = await signedIn(20_000)
    const own = keeper()
    expect(await own.token()).toBe('access-2.a.b')
    expect(await own.token()).toBe('access-2.a.b')
    expect(spent).toEqual(['refresh-1'])
    expect(await store.read('service')).toMatchObject({ accessToken: 'access-2.a.b', refreshToken: 'refresh-2' })
  })

  it('uses a refresh token once, however many processes need a new token', async () => {
    const { keeper, spent } = await signedIn(0)
    const tokens = await Promise.all(Array.from({ length: 8 }, () => keeper().token()))
    expect(new Set(tokens)).toEqual(new Set(['access-2.a.b']))
    expect(spent).toEqual(['refresh-1'])
  })

  it('is renewed when the service refuses the access token before the token expires', async () => {
    const { keeper, spent } = await signedIn(500_000)
    const own = keeper()
    expect(await own.renew()).toBe(true)
    expect(await own.token()).toBe('access-2.a.b')
    expect(spent).toEqual(['refresh-1'])
  })

  it('is removed when the realm no longer accepts its refresh token', async () => {
    const { keeper, store } = await signedIn(0)
    await store.write('service', { ...(await store.read('service'))!, refreshToken: 'spent' })
    await expect(keeper().token()).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' })
    expect(await store.read('service')).toBeUndefined()
  })

  it('is kept when the realm is unreachable', async () => {
    const { keeper, store } = await signedIn(0)
    await store.write('service', { ...(await store.read('service'))!, issuer: 'http://127.0.0.1:1' })
    await expect(keeper().token()).rejects.toBeInstanceOf(UnreachableError)
    expect(await store.read('service')).toBeDefined()
  })
})

describe('a refresh of a session', () => {
  async function refreshed(answer: Answer) {
    const { url } = await scriptedService(({ path, headers }) => {
      const issuer = `http://${headers.host}`
      if (path.includes('openid-configuration')) return { json: { issuer, token_endpoint: `${issuer}/token` } }
      return answer
    })
    const { keeper, store } = await signedIn(0)
    await store.write('service', { ...(await store.read('service'))!, issuer: url })
    return { token: keeper().token(), stored: () => store.read('service') }
  }

  it('does not end the session if the realm answers with an error other than invalid_grant', async () => {
    for (const error of ['invalid_client', 'invalid_request', 'unauthorized_client']) {
      const { token, stored } = await refreshed({ status: 400, json: { error, error_description: 'Unknown client' } })
      await expect(token).rejects.toMatchObject({
        ...{ code: 'REFRESH_REFUSED', exitCode: 1 },
        message: expect.stringContaining('Unknown client'),
      })
      expect(await stored()).toMatchObject({ refreshToken: 'refresh-1' })
    }
  })

  it('stores the new refresh token even if the access token is not a JWT', async () => {
    const json = { access_token: 'opaque', token_type: 'Bearer', refresh_token: 'refresh-2', expires_in: 600 }
    const { token, stored } = await refreshed({ json })
    await expect(token).rejects.toMatchObject({ code: 'NO_JWT' })
    expect(await stored()).toMatchObject({ refreshToken: 'refresh-2' })
  })
})

describe('a realm that is unavailable for a while', () => {
  it.each([429, 503])('does not end the session when it answers %i', async (status) => {
    const { url } = await scriptedService(({ path, headers }) => {
      const issuer = `http://${headers.host}`
      if (path.includes('openid-configuration')) return { json: { issuer, token_endpoint: `${issuer}/token` } }
      return { status, json: { code: 'RATE_LIMITED' } }
    })
    const { keeper, store } = await signedIn(0)
    await store.write('service', { ...(await store.read('service'))!, issuer: url })
    await expect(keeper().token()).rejects.toBeInstanceOf(UnreachableError)
    expect(await store.read('service')).toBeDefined()
  })
})

describe('the lock', () => {
  it('is taken over if its process has ended, or if it is old', async () => {
    const folder = configFolder({ env: newHome(), system: 'linux' })
    mkdirSync(folder)
    const file = join(folder, 'sessions.lock')
    // No process has this pid, because the largest pid on Linux is smaller.
    writeFileSync(file, `${2 ** 30} dead`)
    expect(await withLock(folder, async () => 'in')).toBe('in')
    writeFileSync(file, `${process.pid} alive, but from long ago`)
    utimesSync(file, new Date(0), new Date(0))
    expect(await withLock(folder, async () => 'in')).toBe('in')
    expect(readdirSync(folder)).toEqual([])
  })

  it('is released when the work fails', async () => {
    const folder = configFolder({ env: newHome(), system: 'linux' })
    const failing = async () => {
      throw new Error('no')
    }
    await expect(withLock(folder, failing)).rejects.toThrow('no')
    expect(await withLock(folder, async () => 'in')).toBe('in')
  })
})
