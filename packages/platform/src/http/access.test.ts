import { PERMISSIONS, type Permission, PLATFORM_ADMINISTRATOR } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'
import { forgedToken, ORGANIZATION_ID, SANDBOX_ID, sandboxToken } from '../testing/tokens.ts'

let stack: TestStack
let paths: string[]
/** The routes that require a permission. For the others a token of the tenant is enough. */
let guarded: string[]

beforeAll(async () => {
  stack = await startTestStack()
  const { building, idOf, seeded } = stack
  const first: Record<string, string> = {
    storeys: idOf(building.storeys[0]!.key),
    spaces: idOf(building.spaces[0]!.key),
    elements: idOf(building.elements[0]!.key),
    points: idOf(building.points[0]!.key),
  }
  const { body } = await stack.get('/api/v1/openapi.json')
  const routes = Object.entries<{ get?: { 'x-access': string } }>(body.paths)
    .filter(([, { get }]) => get !== undefined)
    .map(([path, { get }]) => ({
      access: get!['x-access'],
      path: path
        .replace('{buildingId}', seeded.buildingId)
        .replace(/(\w+)\/\{id\}/, (_, noun) => `${noun}/${first[noun]}`),
    }))
  paths = routes.map(({ path }) => path)
  guarded = routes.filter(({ access }) => access !== 'tenant').map(({ path }) => path)
})
afterAll(() => stack.close())

/** Sends a GET request to each of the paths with the same token. A 404 or 409 means that the caller was allowed. */
async function statuses(authorization: string | null, of = paths) {
  const answers = await Promise.all(of.map((path) => stack.get(path, authorization)))
  return answers.map(({ status, body }) =>
    status < 401 || [404, 409].includes(status) ? 'allowed' : `${status} ${body.code}`,
  )
}
const all = (outcome: string) => paths.map(() => outcome)
const bearer = async (token: Promise<string>) => `Bearer ${await token}`

describe('the access check of the API', () => {
  it('[PRM-05] allows the sandbox token everywhere', async () => {
    expect(paths.length).toBeGreaterThanOrEqual(16)
    expect(await statuses(await bearer(sandboxToken()))).toEqual(all('allowed'))
  })

  it('[ERR-15, IDN-01] responds with 401 and a challenge to a request without a credential', async () => {
    expect(await statuses(null)).toEqual(all('401 UNAUTHENTICATED'))
    const { headers } = await stack.get(paths[0]!, null)
    expect(headers['www-authenticate']).toBe('Bearer')
    expect(headers['content-type']).toContain('application/problem+json')
  })

  it.each([
    ['of another sandbox', () => bearer(sandboxToken({ aud: 'sbx_other' }))],
    ['that has expired', () => bearer(sandboxToken({ iat: 1_700_000_000, exp: 1_700_000_060 }))],
    ['signed by somebody else', () => bearer(forgedToken())],
    ['with an invalid format', async () => 'Bearer abc'],
    ['under another scheme', async () => `Basic ${await sandboxToken()}`],
  ])('[IDN-13, ERR-15] responds with 401 to a token %s', async (_, authorization) => {
    expect(await statuses(await authorization())).toEqual(all('401 UNAUTHENTICATED'))
  })

  it.each([
    ['another tenant', { tenant_id: 'org_other' }],
    ['no tenant', { tenant_id: undefined }],
  ])('[PRM-01] responds with 403 to a token of %s', async (_, claims) => {
    expect(await statuses(await bearer(sandboxToken(claims)))).toEqual(all('403 PERMISSION_DENIED'))
  })

  it.each([
    ['no roles', { realm_access: undefined }],
    ['roles that are not a list', { realm_access: { roles: 'platform-administrator' } }],
    ['a role without permissions', { realm_access: { roles: ['visitor'] } }],
  ])('[PRM-02] responds with 403 to a token with %s', async (_, claims) => {
    const token = await sandboxToken(claims)
    expect(await statuses(`Bearer ${token}`, guarded)).toEqual(guarded.map(() => '403 PERMISSION_DENIED'))
  })

  it('allows a plain user to read everything except import reports, webhooks and accounts', async () => {
    const token = await sandboxToken({ realm_access: { roles: ['user'] } })
    const isClosed = (path: string) => /\/(imports|webhooks|accounts)\b/.test(path)
    expect(await statuses(`Bearer ${token}`)).toEqual(
      paths.map((path) => (isClosed(path) ? '403 PERMISSION_DENIED' : 'allowed')),
    )
  })

  it('never reveals the token, the sandbox or the tenant in an error', async () => {
    const { body } = await stack.get(paths[0]!, 'Bearer secret-text')
    expect(JSON.stringify(body)).not.toContain('secret-text')
    expect(JSON.stringify(body)).not.toMatch(new RegExp(`${SANDBOX_ID}|${ORGANIZATION_ID}`))
  })
})

describe('query parameters', () => {
  it('[ERR-11] are refused on every GET route if they are unknown, and the refusal names them', async () => {
    for (const path of paths) {
      const { status, body } = await stack.get(`${path}?updatedSince=now`)
      expect({ status, code: body.code }, path).toEqual({ status: 400, code: 'VALIDATION_FAILED' })
      expect(body.errors, path).toContainEqual(expect.objectContaining({ pointer: '/updatedSince' }))
    }
  })
})

describe('the API', () => {
  it('serves health, readiness and its description without a token', async () => {
    for (const path of ['/healthz', '/readyz', '/api/v1/openapi.json']) {
      expect((await stack.get(path, null)).status, path).toBe(200)
    }
  })

  it('[PRM-21] describes every route with a summary, a tag, a permission and a response', async () => {
    const { body } = await stack.get('/api/v1/openapi.json', null)
    const operations = Object.entries<Record<string, Record<string, unknown>>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
    )
    for (const { name, operation } of operations) {
      const access = operation['x-access'] as Permission
      expect(operation, name).toMatchObject({
        summary: expect.any(String),
        tags: [expect.any(String)],
        responses: expect.any(Object),
      })
      if ((access as string) === 'tenant') expect(operation, name).not.toHaveProperty('x-roles')
      else expect(operation['x-roles'], name).toEqual([...PERMISSIONS[access], PLATFORM_ADMINISTRATOR])
    }
  })

  it('responds with 404 for unknown paths', async () => {
    expect(await stack.get('/api/v1/nothing')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  })
})
