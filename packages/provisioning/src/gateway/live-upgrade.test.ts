import type { Duplex } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../testing/test-gateway.ts'

let test: TestGateway
const accepted: Duplex[] = []
afterEach(async () => {
  for (const socket of accepted.splice(0)) socket.destroy()
  await test.close()
})

type Client = Awaited<ReturnType<TestGateway['connect']>>

/** A gateway behind a proxy, whose stack answers requests of signed-in callers and accepts each upgrade. */
async function start(options: TestGatewayOptions): Promise<void> {
  test = await startTestGateway({
    trustedProxies: ['127.0.0.1'],
    answer: () => ({ headers: { 'x-storey-signed-in': '1' } }),
    checkCredential: async (_, authorization) => authorization === 'Bearer good',
    ...options,
  })
  test.stack.server.on('upgrade', (_request, socket) => {
    accepted.push(socket)
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    socket.on('error', () => undefined).on('end', () => socket.end())
    socket.resume()
  })
}

/** Sends a request on a new connection of the proxy. Resolves to the client and the status of the response. */
async function send(target: string, lines: string): Promise<{ client: Client; status: number; text: string }> {
  const client = await test.connect()
  client.write(`GET ${target} HTTP/1.1\r\nHost: a.localhost\r\n${lines}\r\n`)
  const text = await client.until((received) => received.includes('\r\n\r\n'))
  return { client, status: Number(text.split(' ')[1]), text }
}
const upgrade = (lines: string) => send('/socket.io/?EIO=4', `Connection: Upgrade\r\nUpgrade: websocket\r\n${lines}`)
const isOpen = ({ socket }: Client) => !socket.destroyed
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

describe('a live connection that the gateway forwards', () => {
  const limits = { total: 3, perAddress: 3 }

  it.each([
    ['had a valid token in its header', 'Authorization: Bearer good\r\n', 0],
    ['has lasted longer than a client without a token may stay', '', 6_500],
  ])('[HST-33] is never closed for a new connection if it %s', async (_how, lines, lastsMs) => {
    await start({ limits })
    const { client: live, status } = await upgrade(lines)
    expect(status).toBe(101)
    await pause(lastsMs)
    const { client: idle } = await send('/', '')
    await test.connect()
    // Each new connection replaces another one: first the unauthenticated one, then the idle one of a caller.
    await send('/', '')
    await send('/', '')
    await Promise.race([idle.closed, live.closed])
    for (let i = 0; i < 5; i++) await test.connect()
    expect(isOpen(live)).toBe(true)
  })

  it('[HST-33] is closed for a new connection before an idle one of a caller if it is unauthenticated', async () => {
    await start({ limits })
    const { client: live } = await upgrade('Authorization: Bearer invented\r\n')
    const { client: idle } = await send('/', '')
    await send('/', '')
    await test.connect()
    await live.closed
    expect(isOpen(idle)).toBe(true)
  })

  it('[HST-33] counts, behind a trusted proxy, as a request of its client that is in progress', async () => {
    await start({ limits: { total: 20, perAddress: 2 } })
    const as = (client: string) => `X-Forwarded-For: ${client}\r\n`
    const { client: first } = await upgrade(as('198.51.100.1'))
    expect((await upgrade(as('198.51.100.1'))).status).toBe(101)
    const refused = await upgrade(as('198.51.100.1'))
    expect(refused.text).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 1\r\n[\s\S]*"RATE_LIMITED"/i)
    expect((await send('/', as('198.51.100.1'))).status).toBe(429)
    expect((await upgrade(as('198.51.100.2'))).status).toBe(101)
    expect(accepted).toHaveLength(3)
    first.socket.destroy()
    await expect.poll(async () => (await upgrade(as('198.51.100.1'))).status).toBe(101)
  })
})
