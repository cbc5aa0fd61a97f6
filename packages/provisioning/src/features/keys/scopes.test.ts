import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KeyService, testKeyService } from '../../testing/key-service.ts'

/** Routes of every access level, with the status for an allowed caller. */
const CALLS = {
  create: ['POST', '/api/v1/sandboxes', 400],
  list: ['GET', '/api/v1/sandboxes', 200],
  read: ['GET', '/api/v1/sandboxes/sbx_0', 404],
  connect: ['GET', '/api/v1/sandboxes/sbx_0/connection', 404],
  extend: ['POST', '/api/v1/sandboxes/sbx_0/extend', 400],
  reset: ['POST', '/api/v1/sandboxes/sbx_0/reset', 404],
  delete: ['DELETE', '/api/v1/sandboxes/sbx_0', 404],
  'list keys': ['GET', '/api/v1/keys', 200],
  'revoke a key': ['DELETE', '/api/v1/keys/key_0', 404],
  'mint a key': ['POST', '/api/v1/keys', 400],
  'read the audit': ['GET', '/api/v1/keys/audit', 200],
} as const

type Call = keyof typeof CALLS
const SANDBOX: Call[] = ['create', 'list', 'read', 'connect', 'extend', 'reset', 'delete']
const ALLOWED_CALLS: Record<string, Call[]> = {
  'a sandbox key': SANDBOX,
  'a publish key': [],
  'a full key': [...SANDBOX, 'list keys', 'revoke a key'],
  'a key without scope': [...SANDBOX, 'list keys', 'revoke a key'],
  'a session of the portal': Object.keys(CALLS) as Call[],
  'a session of the command-line tool': SANDBOX,
  'a session of another client': SANDBOX,
}
const table = Object.entries(ALLOWED_CALLS).flatMap(([who, allowed]) =>
  Object.keys(CALLS).map((what) => ({ who, what: what as Call, may: allowed.includes(what as Call) })),
)

describe('[KEY-10, KEY-11, KEY-14, KEY-16, KEY-25, KEY-26, KEY-27, KEY-28, AUD-09] access by scope', () => {
  let service: KeyService
  const credentials: Record<string, string> = {}
  beforeAll(async () => {
    service = await testKeyService()
    const org = await service.newOrganization()
    for (const scope of ['sandbox', 'publish', 'full'] as const) {
      credentials[`a ${scope} key`] = (await service.operatorKey(org, scope)).plaintext
    }
    const { key, plaintext } = await service.operatorKey(org, 'publish')
    await service.control.run(sql`update api_keys set scope = null where id = ${key.id}`)
    credentials['a key without scope'] = plaintext
    credentials['a session of the portal'] = await service.portal(org)
    credentials['a session of the command-line tool'] = await service.cli(org)
    credentials['a session of another client'] = await service.portal(org, { azp: undefined })
  })
  afterAll(() => service.drop())

  it.each(table)('$who may $what: $may', async ({ who, what, may }) => {
    const [method, path, status] = CALLS[what]
    const body = method === 'POST' ? {} : undefined
    const answer = await service.call({ key: credentials[who]!, method, path, ...(body && { body }) })
    const refusal = who.includes('key') ? 'SCOPE_DENIED' : 'PERMISSION_DENIED'
    expect([answer.status, may ? undefined : answer.json.code]).toEqual(may ? [status, undefined] : [403, refusal])
  })

  it.each(Object.entries(CALLS))('[ERR-15] is refused without a credential: %s', async (_, [method, path]) => {
    const answer = await service.call({ method, path })
    expect([answer.status, answer.json.code]).toEqual([401, 'UNAUTHENTICATED'])
  })

  it('is refused with an explanation if a key of scope full tries to create a key', async () => {
    const { json } = await service.mint(credentials['a full key']!)
    expect(json.detail).toBe('The credential has the scope "full"; this call needs a portal session, not a key')
  })

  it('is documented in OpenAPI', async () => {
    const { paths } = (await service.call({ path: '/api/v1/openapi.json' })).json
    expect(paths['/api/v1/keys'].post['x-access']).toBe('keys:mint')
    expect(paths['/api/v1/keys/audit'].get['x-access']).toBe('keys:audit')
    expect(paths['/api/v1/keys/{keyId}'].delete['x-access']).toBe('keys:revoke')
  })
})
