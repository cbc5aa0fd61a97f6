import type { ObservedRequest } from '@storey/kit/http'
import { afterEach, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../testing/test-gateway.ts'
import { realmRoute } from './observe-gateway.ts'

let test: TestGateway
afterEach(() => test?.close())

/** Sends bytes on one connection, and returns what an observer has seen when `count` requests have ended. */
async function observedBy(bytes: string, count: number, options: TestGatewayOptions = {}): Promise<ObservedRequest[]> {
  const seen: ObservedRequest[] = []
  const observer = { end: (observed: ObservedRequest) => void seen.push(observed) }
  test = await startTestGateway({ ...options, observers: [observer] })
  const client = await test.connect()
  client.write(bytes)
  await expect.poll(() => seen.length).toBe(count)
  return seen
}

const get = (path: string, host = 'a.localhost') => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`

describe('an observer of the gateway', () => {
  it('sees part, route, sandbox, caller, status, size and address of each request', async () => {
    const headers = { 'x-storey-route': '/api/v1/spaces/:id', 'x-storey-signed-in': 'account 0191-7' }
    const answer: TestGatewayOptions['answer'] = ({ url }) => ({ headers, body: url, status: 201 })
    const [stack, control] = await observedBy(get('/api/v1/spaces/7?q=1') + get('/healthz', 'localhost'), 2, { answer })
    expect(stack).toMatchObject({
      ...{ part: 'stack', route: '/api/v1/spaces/:id', sandboxId: 'sbx_test', status: 201, isAborted: false },
      ...{ caller: { kind: 'account', id: '0191-7' }, clientAddress: '127.0.0.1', target: '/api/v1/spaces/7?q=1' },
      requestId: expect.stringMatching(/^req_/),
    })
    expect(stack!.bytes).toBeGreaterThan(50)
    expect(stack!.durationMs).toBeGreaterThan(0)
    expect(control).toMatchObject({ part: 'provisioning', status: 200, sandboxId: undefined, caller: undefined })
  })

  it('reads headers of the stack that the gateway does not forward to the client', async () => {
    const headers = { 'x-storey-route': '/api/v1/spaces/:id', 'x-storey-signed-in': 'account 1' }
    test = await startTestGateway({ answer: () => ({ headers, body: 'end' }) })
    const client = await test.connect()
    client.write(get('/api/v1/spaces/7'))
    expect(await client.until((received) => received.includes('end'))).not.toMatch(/x-storey/i)
  })

  it('takes no route and no caller from malformed headers of a stack', async () => {
    const headers = { 'x-storey-route': '/a{le="1"}', 'x-storey-signed-in': 'a "b"' }
    const [seen] = await observedBy(get('/'), 1, { answer: () => ({ headers }) })
    expect(seen).toMatchObject({ route: 'none', caller: undefined })
  })

  it('sees the status of refusals, and clients that disconnect', async () => {
    const [unknown, refused] = await observedBy(get('/', 'elsewhere.test') + get('/ok').replace('Host', 'Hos'), 2)
    expect([unknown!.status, unknown!.part, refused!.status]).toEqual([404, 'gateway', 400])
    await test.close()

    const seen: ObservedRequest[] = []
    test = await startTestGateway({ answer: () => undefined, observers: [{ end: (one) => void seen.push(one) }] })
    const client = await test.connect()
    client.write(get('/slow'))
    await expect.poll(() => test.stack.seen.length).toBe(1)
    client.socket.destroy()
    await expect.poll(() => seen).toMatchObject([{ status: 499, isAborted: true, part: 'stack' }])
  })

  it.each([
    ['/realms/developers/token', '/realms/:realm/token'],
    ['/realms/sandboxes/.well-known/openid-configuration?x=1', '/realms/:realm/.well-known/openid-configuration'],
    ['/realms/developers/revoke', '/realms/:realm/revoke'],
    ['/realms/sandboxes/logout/confirm', '/realms/:realm/logout/confirm'],
    ['/realms/sandboxes/logout/success?state=x', '/realms/:realm/logout/success'],
    ['/realms/developers/device/auth', '/realms/:realm/device/auth'],
    ['/realms/developers/device/secret', '/realms/:realm/*'],
    ['/realms/developers/token/revocation', '/realms/:realm/*'],
    ['/realms/sandboxes/interaction/secret', '/realms/:realm/*'],
    ['/realms/anything/token', '/realms/:realm/*'],
  ])('sees %s of the realms as %s', (url, route) => {
    expect(realmRoute(url)).toBe(route)
  })
})
