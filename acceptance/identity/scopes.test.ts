import { beforeAll, describe, expect, it } from 'vitest'
import { api, type Developer, newDeveloper, operator } from '../system/shared.ts'

/** Calls of the provisioning service, by title. */
const CALLS = {
  'list sandboxes': (token: string) => api(token, '/api/v1/sandboxes'),
  'list keys': (token: string) => api(token, '/api/v1/keys'),
  'revoke a key': (token: string) => api(token, '/api/v1/keys/key_nobodys', { method: 'DELETE' }),
  'mint a key': (token: string) => api(token, '/api/v1/keys', { body: { label: 'made' } }),
  'read the audit': (token: string) => api(token, '/api/v1/keys/audit'),
}
type Call = keyof typeof CALLS

const MAY: Record<string, Call[]> = {
  'sandbox key': ['list sandboxes'],
  'publish key': [],
  'full key': ['list sandboxes', 'list keys', 'revoke a key'],
  'portal session': ['list sandboxes', 'list keys', 'revoke a key', 'mint a key', 'read the audit'],
}

describe.each(Object.keys(MAY))('a %s', (who) => {
  let developer: Developer
  let token: string
  beforeAll(async () => {
    developer = await newDeveloper()
    const [scope] = who.split(' ')
    token =
      who === 'portal session'
        ? await operator('session', developer.email)
        : await operator('key', 'mint', '--org', developer.organizationId, '--scope', scope!)
  })

  it.each(Object.keys(CALLS) as Call[])(
    '[KEY-09, KEY-10, KEY-14, KEY-16, KEY-25, KEY-26, KEY-27, AUD-09] can %s only if its scope permits it',
    async (call) => {
      const answer = await CALLS[call](token)
      if (MAY[who]!.includes(call)) expect([200, 201, 404]).toContain(answer.status)
      else expect(answer.json).toMatchObject({ status: 403, code: 'SCOPE_DENIED' })
    },
  )
})

describe('a key', () => {
  it('[KEY-19, KEY-21] is refused from the first request after its revocation, even under load', async () => {
    const { email } = await newDeveloper()
    const session = await operator('session', email)
    const { json } = await api(session, '/api/v1/keys', { body: { label: 'flood', scope: 'sandbox' } })
    const results: { at: number; status: number }[] = []
    let flooding = true
    const flood = Array.from({ length: 4 }, async () => {
      while (flooding) {
        const at = performance.now()
        results.push({ at, status: (await api(json.plaintext, '/api/v1/sandboxes')).status })
      }
    })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect((await api(session, `/api/v1/keys/${json.keyId}`, { method: 'DELETE' })).status).toBe(204)
    const revokedAt = performance.now()
    await new Promise((resolve) => setTimeout(resolve, 300))
    flooding = false
    await Promise.all(flood)
    expect(results.some(({ status }) => status === 200)).toBe(true)
    const after = results.filter(({ at }) => at > revokedAt)
    expect(after.length).toBeGreaterThan(0)
    expect(after.every(({ status }) => status === 401)).toBe(true)
    expect((await api(json.plaintext, '/api/v1/sandboxes')).json.code).toBe('KEY_REVOKED')
  })

  it('[KEY-22, KEY-23, KEY-24] is refused if five are active, even if twenty are created concurrently; keys of the operator do not count', async () => {
    const { email } = await newDeveloper()
    const session = await operator('session', email)
    const mint = () => api(session, '/api/v1/keys', { body: { label: 'many' } })
    const answers = await Promise.all(Array.from({ length: 20 }, mint))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.every(({ json }) => json.code === 'QUOTA_EXCEEDED')).toBe(true)
    const { json } = await api(session, '/api/v1/keys')
    expect(json.data.filter((key: { status: string }) => key.status === 'active')).toHaveLength(
      6 /* the five keys, and the key that the operator created */,
    )
  })

  it('[AUD-01, AUD-02, AUD-03, AUD-04, AUD-08] has an audit log, which only its own organization can read', async () => {
    const { email } = await newDeveloper()
    const session = await operator('session', email)
    const { json } = await api(session, '/api/v1/keys', { body: { label: 'trail', expiresInDays: 3 } })
    await api(json.plaintext, '/api/v1/sandboxes', {
      headers: { 'user-agent': 'trail/1', 'x-forwarded-for': '6.6.6.6' },
    })
    await api(session, `/api/v1/keys/${json.keyId}`, { method: 'DELETE' })
    await api(json.plaintext, '/api/v1/sandboxes')
    const rows = async () => (await api(session, `/api/v1/keys/audit?keyId=${json.keyId}`)).json.data
    await expect.poll(async () => (await rows()).length).toBe(4)
    const trail = (await rows()).map((row: Record<string, unknown>) => [row.action, row.outcome, row.reason])
    expect(trail.map(([action, outcome]: string[]) => `${action} ${outcome}`).toSorted()).toEqual(
      ['key.issued allowed', 'key.revoked allowed', 'key.used allowed', 'key.used denied'].toSorted(),
    )
    const use = (await rows()).find(
      (row: { action: string; outcome: string }) => row.action === 'key.used' && row.outcome === 'allowed',
    )
    expect(use).toMatchObject({
      method: 'GET',
      route: '/api/v1/sandboxes',
      status: 200,
      sourceIp: '127.0.0.1',
      userAgent: 'trail/1',
    })
    const otherDeveloper = await operator('session', (await newDeveloper()).email)
    expect((await api(otherDeveloper, `/api/v1/keys/audit?keyId=${json.keyId}`)).json.data).toEqual([])
    expect(JSON.stringify(await rows())).not.toContain(json.plaintext)
  })
})
