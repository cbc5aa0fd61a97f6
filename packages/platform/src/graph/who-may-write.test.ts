import { startTestRealm, type TestRealm } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'
import { forgedToken, ORGANIZATION_ID } from '../testing/tokens.ts'

let realm: TestRealm
let stack: TestStack
let base: string
beforeAll(async () => {
  realm = await startTestRealm('/realms/sandboxes')
  stack = await startTestStack({ sandboxesIssuer: realm.issuer })
  base = `/api/v1/buildings/${stack.seeded.buildingId}`
})
afterAll(async () => {
  await stack.close()
  await realm.stop()
})

const PATHS = ['storeys', 'spaces', 'elements', 'points'] as const
const holding = async (roles: string[], claims: Record<string, unknown> = {}) =>
  `Bearer ${await realm.sign({ tenant_id: ORGANIZATION_ID, realm_access: { roles }, ...claims })}`
const revision = async () => (await stack.get(base)).body.revision as number

/**
 * All write operations on a kind of node, with valid bodies, so that only the caller can be the reason for a refusal.
 */
function calls(path: (typeof PATHS)[number]) {
  const all = `${base}/${path}`
  const one = `${all}/${stack.idOf(stack.building[path][0]!.key)}`
  const pair = { sourceSystem: 'erp', externalId: 'x' }
  return [
    ['POST', all, newNode(path)],
    ['PATCH', one, { name: 'x' }],
    ['DELETE', one, undefined],
    ['POST', `${one}/external-ids`, pair],
    ['DELETE', `${one}/external-ids?${new URLSearchParams(pair)}`, undefined],
  ] as const
}

function newNode(path: (typeof PATHS)[number]): Record<string, unknown> {
  const { building, idOf } = stack
  if (path === 'storeys') return { name: 'New', index: 40 }
  if (path === 'spaces') return { name: 'New', storeyId: idOf(building.storeys[0]!.key), spaceTypeSlug: 'other' }
  if (path === 'elements') return { name: 'New', spaceId: idOf(building.spaces[0]!.key), elementTypeSlug: 'sensor' }
  const quantity = { quantityKind: 'Temperature', unit: 'DEG_C' }
  return { name: 'New', elementId: idOf(building.elements[0]!.key), pointType: 'SENSOR', ...quantity }
}

describe.each(PATHS)('writing %s', (path) => {
  it('is refused without a valid token', async () => {
    const before = await revision()
    for (const [method, url, body] of calls(path)) {
      for (const credential of [null, 'Bearer x', `Bearer ${await forgedToken()}`]) {
        const answer = await stack.send(method, url, body, credential)
        expect(answer, `${method} ${url}`).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } })
      }
    }
    expect(await revision()).toBe(before)
  })

  it.each([
    ['a user', ['user'], {}],
    ['an accountant', ['accountant'], {}],
    ['a caller without a role', [], {}],
    ['a manager of another tenant', ['manager'], { tenant_id: 'org_other' }],
    ['a writer of another tenant', ['building-graph-writer'], { tenant_id: 'org_other' }],
    ['a manager of other buildings', ['manager'], { building_ids: ['0191b6a0-0000-7000-8000-000000000000'] }],
  ])('is refused to %s', async (_, roles, claims) => {
    const before = await revision()
    const credential = await holding(roles, claims)
    for (const [method, url, body] of calls(path)) {
      const answer = await stack.send(method, url, body, credential)
      expect(answer, `${method} ${url}`).toMatchObject({ status: 403, body: { code: 'PERMISSION_DENIED' } })
    }
    expect(await revision()).toBe(before)
  })

  it.each(['manager', 'admin', 'building-graph-writer'])(
    'is allowed for a %s, who is recorded as the actor',
    async (role) => {
      const credential = await holding([role], { email: `${role}@example.com` })
      const before = await revision()
      const { status, body } = await stack.send('POST', `${base}/${path}`, newNode(path), credential)
      expect(status).toBe(201)
      const one = `${base}/${path}/${body.id}`
      const pair = { sourceSystem: 'erp', externalId: body.id }
      const external = `${one}/external-ids`
      expect((await stack.send('PATCH', one, { name: 'x' }, credential)).status).toBe(200)
      expect((await stack.send('POST', external, pair, credential)).status).toBe(201)
      const query = new URLSearchParams(pair)
      expect((await stack.send('DELETE', `${external}?${query}`, undefined, credential)).status).toBe(204)
      expect((await stack.send('DELETE', one, undefined, credential)).status).toBe(204)
      expect(await revision()).toBe(before + 5)
      const { body: history } = await stack.get(`${base}/history?nodeId=${body.id}`)
      expect(history.data.map(({ actor }: { actor: string }) => actor)).toEqual(Array(5).fill(`${role}@example.com`))
    },
  )
})
