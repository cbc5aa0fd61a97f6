import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { ROLES, type Role } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type CallOptions, call } from '../system/call.ts'
import { signedIn } from '../system/service-accounts.ts'
import { actorsAt, newDeveloper, newSandbox } from '../system/shared.ts'
import { type System, startSystem } from '../system/system.ts'

const POINT_UPDATED = 'building.point.updated'

interface Received {
  headers: IncomingHttpHeaders
  body: Buffer
}

describe('webhooks, through the running system', () => {
  let apiUrl: string
  let building: string
  let administrator: string
  let receiver: Server
  let receiverUrl: string
  const received: Received[] = []
  const tokens = new Map<Role, string>()
  beforeAll(async () => {
    const { key } = await newDeveloper()
    const { record, connection } = await newSandbox(key)
    apiUrl = connection.apiUrl
    administrator = connection.token
    building = `${apiUrl}/api/v1/buildings/${connection.buildingId}`
    for (const role of ROLES) tokens.set(role, await signedIn(key, record.sandboxId, role))
    receiver = createServer(async (request, response) => {
      received.push({ headers: request.headers, body: await buffer(request) })
      response.writeHead(200).end('thanks')
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  })
  afterAll(() => {
    receiver.closeAllConnections()
    receiver.close()
  })
  const webhooks = (path = '', options: CallOptions = {}): Promise<Answer> =>
    call(`${apiUrl}/api/v1/webhooks${path}`, { token: administrator, ...options })

  it('[PRM-18] can be registered by a manager, and by no other role of an account', async () => {
    const body = { url: receiverUrl, events: [POINT_UPDATED] }
    for (const [role, token] of tokens) {
      const answer = await webhooks('', { token, body })
      const expected = role === 'manager' ? 201 : 403
      expect({ role, status: answer.status }).toEqual({ role, status: expected })
      if (expected === 403) expect(answer.json).toMatchObject({ code: 'PERMISSION_DENIED' })
      else await webhooks(`/${answer.json.id}`, { token, method: 'DELETE' })
    }
    expect((await call(`${apiUrl}/api/v1/webhooks`, { body })).status).toBe(401)
    expect((await webhooks()).json.total).toBe(0)
  })

  it('[WHK-01, WHK-17, WHK-18, WHK-34, OBS-17] deliver a posted observation immediately, signed', async () => {
    const manager = tokens.get('manager')!
    const created = await webhooks('', { token: manager, body: { url: receiverUrl, events: [POINT_UPDATED] } })
    expect(created.status).toBe(201)
    const { id, secret } = created.json
    const point = (await call(`${building}/points?limit=1`, { token: manager })).json.data[0]
    const observations = [{ pointId: point.id, value: '21.5', timestamp: '2026-03-01T08:00:00Z', source: 'meter' }]
    const posted = await call(`${building}/telemetry/observations`, { token: manager, body: { observations } })
    expect(posted.status).toBe(202)
    await expect.poll(() => received.length).toBe(1)

    // Verifies the signature of the raw body in constant time, as docs/events.md recommends to receivers.
    const { headers, body } = received[0]!
    const expected = createHmac('sha256', secret).update(body).digest()
    expect(timingSafeEqual(Buffer.from(String(headers['x-svc-signature']), 'hex'), expected)).toBe(true)
    expect(JSON.parse(body.toString('utf8'))).toEqual({
      event: POINT_UPDATED,
      data: {
        buildingId: building.split('/').at(-1),
        observations: [
          {
            ...{ pointId: point.id, elementId: point.elementId },
            ...{ value: '21.5', timestamp: '2026-03-01T08:00:00.000Z', source: 'meter' },
          },
        ],
      },
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    })

    const attempts = () => webhooks(`/${id}/deliveries`, { token: tokens.get('admin')! })
    await expect.poll(async () => (await attempts()).json.total).toBe(1)
    expect((await attempts()).json.data[0]).toMatchObject({
      idempotencyKey: headers['x-svc-idempotency-key'],
      attempt: 1,
      status: 'succeeded',
      httpCode: 200,
      responseBody: 'thanks',
    })
    expect((await webhooks(`/${id}`)).json.secret).toBe(`${secret.slice(0, 8)}…`)
    expect((await webhooks(`/${id}/test`, { method: 'POST' })).json).toMatchObject({ status: 'succeeded' })
    expect(received).toHaveLength(2)
    expect((await webhooks(`/${id}`, { method: 'DELETE' })).status).toBe(204)
  })

  it('[WHK-09] refuse a private address in development too', async () => {
    const answer = await webhooks('', { body: { url: 'https://192.168.0.1/', events: [POINT_UPDATED] } })
    expect(answer.json).toMatchObject({ status: 400, code: 'WEBHOOK_URL_REJECTED', reason: 'private_address' })
  })
})

describe('webhooks in production', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem({ env: { MODE: 'production', MASTER_SECRET: 'x'.repeat(40) } })
  })
  afterAll(() => system.remove())

  it('[WHK-07, WHK-08] can be registered for public https addresses only', async () => {
    const actors = actorsAt(system)
    const { key } = await actors.newDeveloper()
    const { connection } = await actors.newSandbox(key)
    const register = async (url: string) => {
      const body = { url, events: [POINT_UPDATED] }
      const { json } = await call(`${connection.apiUrl}/api/v1/webhooks`, { token: connection.token, body })
      return { code: json.code, reason: json.reason }
    }
    const code = 'WEBHOOK_URL_REJECTED'
    expect(await register('http://93.184.216.34/hook')).toEqual({ code, reason: 'not_https' })
    expect(await register('https://127.0.0.1/hook')).toEqual({ code, reason: 'private_address' })
    expect(await register('https://localhost/hook')).toEqual({ code, reason: 'private_address' })
    expect(await register('https://93.184.216.34/hook')).toEqual({ code: undefined, reason: undefined })
  })
})
