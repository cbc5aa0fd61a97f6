import { afterEach, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts'

let test: TestGateway
afterEach(() => test.close())

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a.localhost\r\nX-Marker: ${path}\r\n\r\n`

it('[HST-78] a stop answers the requests in progress, announces that the connection closes, and accepts no other requests', async () => {
  const { promise: isAwake, resolve: wake } = Promise.withResolvers<void>()
  test = await startTestGateway({ wake: () => isAwake })
  const [busy, pipelined, idle] = [await test.connect(), await test.connect(), await test.connect()]
  busy.write(get('/one'))
  pipelined.write(get('/two') + get('/three'))
  await expect.poll(() => test.using.now).toBe(2)
  const closed = test.closeGateway()
  await idle.closed
  busy.write(get('/late'))
  // The gateway must read the request for /late before it answers the earlier requests.
  await new Promise((resolve) => setTimeout(resolve, 100))
  wake()
  await Promise.all([closed, busy.closed, pipelined.closed])
  const statuses = (text: string) => text.match(/^HTTP\/1\.1 \d+/gm)
  expect(statuses(busy.received())).toEqual(['HTTP/1.1 200'])
  expect(busy.received().toLowerCase()).toContain('connection: close')
  expect(statuses(pipelined.received())).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
  expect(test.stack.seen.map(({ url }) => url).toSorted()).toEqual(['/one', '/three', '/two'])
})

it('[HST-78] a stop closes connections whose requests are not answered in time', async () => {
  test = await startTestGateway({ wake: () => new Promise(() => undefined) })
  const client = await test.connect()
  client.write(get('/one'))
  await expect.poll(() => test.using.now).toBe(1)
  await Promise.all([test.closeGateway(), client.closed])
  expect(client.received()).toBe('')
})

it('[PLN-08] a gateway that drains still answers requests, and asks clients to use another connection', async () => {
  test = await startTestGateway({})
  const [kept, idle] = [await test.connect(), await test.connect()]
  kept.write(get('/one'))
  await expect.poll(() => kept.received()).toContain('200')
  expect(kept.received().toLowerCase()).not.toContain('connection: close')
  test.drain()
  kept.write(get('/two'))
  await kept.closed
  expect(kept.received().match(/^HTTP\/1\.1 200/gm)).toHaveLength(2)
  expect(kept.received().toLowerCase()).toContain('connection: close')
  // A connection that is opened now is served too.
  const late = await test.connect()
  for (const client of [idle, late]) client.write(get('/three'))
  await Promise.all([idle.closed, late.closed])
  for (const client of [idle, late]) expect(client.received()).toContain('HTTP/1.1 200')
})
