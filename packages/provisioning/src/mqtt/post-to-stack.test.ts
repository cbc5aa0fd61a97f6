import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postToStack } from './post-to-stack.ts'

describe('a post to a stack', () => {
  const sockets = new Set<Socket>()
  // The server responds without reading the body, like a stack that refuses a request because of its headers.
  const server = createServer((_request, response) => response.writeHead(413).end('{"code":"BODY_TOO_LARGE"}'))
  server.on('connection', (socket) => sockets.add(socket))
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  it('stops sending the payload when the stack has responded', async () => {
    const { port } = server.address() as AddressInfo
    const payload = Buffer.alloc(50 * 1024 * 1024)
    const stack = { host: '127.0.0.1', port, ended: new Promise<void>(() => undefined) }
    const ids = {
      buildingId: 'b',
      arrivedAt: new Date(),
      token: 't',
      internalKey: 'k',
      requestId: 'r',
      responseTimeoutMs: 5_000,
    }
    expect(await postToStack({ address: stack, payload, ...ids })).toEqual({
      status: 413,
      object: { code: 'BODY_TOO_LARGE' },
    })
    const [socket] = sockets
    socket!.on('error', () => undefined).resume()
    await expect.poll(() => socket!.destroyed).toBe(true)
    expect(socket!.bytesRead).toBeLessThan(payload.length)
  })
})
