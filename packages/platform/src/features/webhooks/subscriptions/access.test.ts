import { holds, type Permission, ROLES } from '@storey/contract'
import { startTestRealm, type TestRealm } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ORGANIZATION_ID } from '../../../testing/tokens.ts'
import { type Receiver, startReceiver } from '../testing/receiver.ts'
import { POINT_UPDATED, startWebhooks, type Webhooks } from '../testing/start-webhooks.ts'

const NOBODY = '0191b6a0-0000-7000-8000-000000000000'
let realm: TestRealm
let webhooks: Webhooks
let receiver: Receiver
beforeAll(async () => {
  realm = await startTestRealm('/realms/sandboxes')
  webhooks = await startWebhooks({ sandboxesIssuer: realm.issuer })
  receiver = await startReceiver()
})
afterAll(async () => {
  await Promise.all([webhooks.close(), receiver.close(), realm.stop()])
})

const holding = (role: string, claims = {}) =>
  realm.sign({ tenant_id: ORGANIZATION_ID, realm_access: { roles: [role] }, ...claims })

/** Calls that change nothing even if they are allowed. The last member is the status of an allowed call. */
const CALLS: readonly [Permission, 'GET' | 'POST' | 'PATCH' | 'DELETE', string, unknown, number][] = [
  ['platform.webhooks:read', 'GET', '', undefined, 200],
  ['platform.webhooks:read', 'GET', `/${NOBODY}`, undefined, 404],
  ['platform.webhooks:read', 'GET', `/${NOBODY}/deliveries`, undefined, 404],
  ['platform.webhooks:read', 'GET', `/${NOBODY}/deliveries/${NOBODY}`, undefined, 404],
  ['platform.webhooks:write', 'POST', '', {}, 400],
  ['platform.webhooks:write', 'PATCH', `/${NOBODY}`, { status: 'active' }, 404],
  ['platform.webhooks:write', 'DELETE', `/${NOBODY}`, undefined, 404],
  ['platform.webhooks:write', 'POST', `/${NOBODY}/reset-failures`, undefined, 404],
  ['platform.webhooks:write', 'POST', `/${NOBODY}/rotate-secret`, undefined, 404],
  ['platform.webhooks:write', 'POST', `/${NOBODY}/test`, undefined, 404],
  ['platform.webhooks:write', 'POST', `/${NOBODY}/deliveries/${NOBODY}/redeliver`, undefined, 404],
]

describe('access to webhooks', () => {
  it.each(CALLS)('[PRM-18] requires %s for %s /webhooks%s', async (permission, method, path, body, status) => {
    expect((await webhooks.send(method, path, body)).status).toBe(status)
    for (const role of ROLES) {
      const answer = await webhooks.send(method, path, body, await holding(role))
      const may = holds([role], permission)
      expect({ role, status: answer.status }).toEqual({ role, status: may ? status : 403 })
    }
    const elsewhere = await holding('manager', { tenant_id: 'org_other' })
    expect(await webhooks.send(method, path, body, elsewhere)).toMatchObject({ status: 403 })
    expect(await webhooks.send(method, path, body, 'no token')).toMatchObject({ status: 401 })
  })

  it('is limited to the buildings of the token: webhooks created with the token get only events of these buildings, and the token gives no access to other webhooks', async () => {
    const { stack } = webhooks
    const mine = await holding('manager', { building_ids: [stack.seeded.buildingId] })
    const theirs = await holding('manager', { building_ids: [stack.other.buildingId] })
    const whole = await webhooks.subscribe(`${receiver.url}/whole`)
    const created = (path: string, token: string) =>
      webhooks.send('POST', '', { url: receiver.url + path, events: [POINT_UPDATED] }, token)
    const own = (await created('/mine', mine)).body
    await created('/theirs', theirs)

    await webhooks.observe()
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/mine', '/whole'])

    const seen = (await webhooks.send('GET', '', undefined, mine)).body
    expect({ ids: seen.data.map(({ id }: { id: string }) => id), total: seen.total }).toEqual({
      ids: [own.id],
      total: 1,
    })
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['GET', '/deliveries', undefined],
      ['PATCH', '', { url: `${receiver.url}/stolen` }],
      ['POST', '/rotate-secret', undefined],
      ['POST', '/test', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      expect(await webhooks.send(method, `/${whole.id}${path}`, body, mine)).toMatchObject({ status: 404 })
    }
    const [delivery] = await webhooks.attempts(whole.id)
    const one = `/${whole.id}/deliveries/${delivery!.deliveryId}`
    expect(await webhooks.send('GET', one, undefined, mine)).toMatchObject({ status: 404 })
    const redelivery = `${one}/redeliver`
    expect(await webhooks.send('POST', redelivery, undefined, mine)).toMatchObject({ status: 404 })
    expect(await webhooks.read(whole.id)).toMatchObject({ url: whole.url, secret: `${whole.secret.slice(0, 8)}…` })
  })
})
