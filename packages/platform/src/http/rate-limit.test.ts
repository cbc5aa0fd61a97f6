import { INTERNAL_KEY_HEADER } from '@storey/contract'
import { movableClock } from '@storey/kit/clock'
import { startTestRealm, type TestRealm } from '@storey/kit/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestHttp, type TestHttp } from '../testing/test-http.ts'
import { ORGANIZATION_ID, SANDBOX_ID, sandboxToken } from '../testing/tokens.ts'

let realm: TestRealm
let clock: ReturnType<typeof movableClock>
let http: TestHttp

beforeAll(async () => {
  realm = await startTestRealm('/realms/sandboxes')
})
afterAll(() => realm.stop())
beforeEach(async () => {
  clock = movableClock()
  http = await startTestHttp({ sandboxesIssuer: realm.issuer, perMinute: 100, clock })
})

const PATH = '/api/v1/catalogs/units'
const user = (sub: string, claims = {}) =>
  realm.sign({ sub, tenant_id: ORGANIZATION_ID, realm_access: { roles: ['user'] }, ...claims })

/** Sends this many requests, and returns how many of them were accepted. */
async function passed(times: number, token: string, headers: (i: number) => Record<string, string> = () => ({})) {
  let count = 0
  for (let i = 0; i < times; i++) if ((await http.get(PATH, token, headers(i))).status === 200) count++
  return count
}

describe('the rate limit of the platform API', () => {
  it('[RAT-01, RAT-02] accepts a hundred requests, and reports when the next one is possible', async () => {
    const token = await sandboxToken()
    expect(await passed(120, token)).toBe(100)
    const { status, body, headers } = await http.get(PATH, token)
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'RATE_LIMITED' })
    expect(headers['content-type']).toContain('application/problem+json')
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/)
    const seconds = Number(headers['retry-after'])
    clock.advance((seconds - 1) * 1_000)
    expect((await http.get(PATH, token)).status).toBe(429)
    clock.advance(1_000)
    expect((await http.get(PATH, token)).status).toBe(200)
  })

  it('[RAT-03] applies to each subject, whichever of its tokens is used', async () => {
    const [ada, again, bob] = await Promise.all([user('ada'), user('ada', { jti: '2' }), user('bob')])
    expect(await passed(60, ada)).toBe(60)
    expect(await passed(60, again)).toBe(40)
    expect(await passed(101, bob)).toBe(100)
  })

  it('[RAT-03] counts a subject of the realm and the sandbox separately, even if both have the same id', async () => {
    expect(await passed(101, await user(SANDBOX_ID))).toBe(100)
    expect(await passed(1, await sandboxToken())).toBe(1)
  })

  it('[RAT-04] ignores the address that a client claims', async () => {
    const forged = (i: number) => ({
      'x-forwarded-for': `10.0.0.${i}`,
      'x-real-ip': `10.0.0.${i}`,
      forwarded: `for=10.0.0.${i}`,
      'x-request-id': `req_${i}`,
    })
    expect(await passed(120, await user('ada'), forged)).toBe(100)
  })

  it('counts refused requests of callers, but no requests without a valid token', async () => {
    const outsider = await user('eve', { tenant_id: 'org_other' })
    for (let i = 0; i < 100; i++) expect((await http.get(PATH, outsider)).status).toBe(403)
    expect((await http.get(PATH, outsider)).status).toBe(429)
    const forged = await realm.sign({ sub: 'ada', tenant_id: ORGANIZATION_ID }, { foreignKey: true })
    for (let i = 0; i < 150; i++) expect((await http.get(PATH, forged)).status).toBe(401)
    expect(await passed(100, await user('ada'))).toBe(100)
  })

  it('[RAT-06] is reported in headers, on success and on errors', async () => {
    const token = await user('ada')
    const { headers } = await http.get(PATH, token)
    expect(headers).toMatchObject({ 'ratelimit-policy': '"caller";q=100;w=60' })
    expect(headers.ratelimit).toMatch(/^"caller";r=99;t=(60|59)$/)
    const bad = await http.get(`${PATH}?limit=none`, token)
    expect(bad.status).toBe(400)
    expect(bad.headers.ratelimit).toMatch(/^"caller";r=98;t=/)
  })

  it('[RAT-05] has the value of its setting, and is disabled if the setting is 0', async () => {
    http = await startTestHttp({ perMinute: 7 })
    expect(await passed(20, await sandboxToken())).toBe(7)
    expect((await http.get('/api/v1/openapi.json')).body.info.description).toContain('7 requests')
    http = await startTestHttp({ perMinute: 0 })
    expect(await passed(250, await sandboxToken())).toBe(250)
  })

  it('[RAT-09] also limits all callers of the sandbox together; other tenants cannot use up that limit', async () => {
    http = await startTestHttp({ sandboxesIssuer: realm.issuer, perMinute: 10, perMinuteOverall: 100, clock })
    const outsiders = await Promise.all(
      Array.from({ length: 20 }, (_, i) => user(`eve-${i}`, { tenant_id: 'org_other' })),
    )
    for (const outsider of outsiders) await passed(10, outsider)
    const accounts = await Promise.all(Array.from({ length: 20 }, (_, i) => user(`account-${i}`)))
    const counts = await Promise.all(accounts.map((token) => passed(10, token)))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(100)
    const refused = await http.get(PATH, accounts[19]!)
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
    expect(refused.headers['ratelimit-policy']).toBe('"caller";q=10;w=60, "sandbox";q=100;w=60')
    clock.advance(Number(refused.headers['retry-after']) * 1_000)
    expect((await http.get(PATH, accounts[19]!)).status).toBe(200)
    expect((await http.get('/api/v1/openapi.json')).body.info.description).toContain(' 100 requests')
  })

  it('does not apply to the health check and the API description', async () => {
    http = await startTestHttp({ perMinute: 1 })
    for (let i = 0; i < 20; i++) {
      expect((await http.get('/healthz')).status).toBe(200)
      expect((await http.get('/api/v1/openapi.json')).status).toBe(200)
    }
  })

  it('does not apply to requests of the control plane, whose key gives no access', async () => {
    const internalKey = 'k'.repeat(64)
    http = await startTestHttp({ perMinute: 2, clock, internalKey })
    const token = await sandboxToken()
    const bearing = (value: string) => () => ({ [INTERNAL_KEY_HEADER]: value })
    expect(await passed(5, token, bearing(internalKey))).toBe(5)
    expect(await passed(5, token, bearing(`${internalKey.slice(1)}x`))).toBe(2)
    expect(await passed(5, token, bearing(''))).toBe(0)
    expect((await http.get(PATH, undefined, bearing(internalKey)())).status).toBe(401)
    http = await startTestHttp({ perMinute: 2, clock })
    expect(await passed(5, token, bearing('undefined'))).toBe(2)
  })
})
