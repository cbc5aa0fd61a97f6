import { existsSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createUnreadLimit } from './limit-unread.ts'

const MB = 1024 * 1024

describe('the limit of unread bytes', () => {
  const accepted = new Set<Socket>()
  const clients: Socket[] = []
  const server = createServer((socket) => {
    accepted.add(socket)
    socket.on('error', () => undefined).once('close', () => accepted.delete(socket))
  })
  afterEach(async () => {
    for (const socket of [...clients, ...accepted]) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })

  // Only Linux reports what clients have not read.
  it.runIf(existsSync('/proc/net/tcp'))(
    '[LIV-22] resets the slowest clients until the unread bytes of all clients are within the limit',
    async () => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      for (let i = 0; i < 4; i++) clients.push(connect(port, '127.0.0.1').on('error', () => undefined))
      const [reader] = clients
      reader!.resume()
      await expect.poll(() => accepted.size).toBe(4)
      for (const socket of accepted) socket.write(Buffer.alloc(2 * MB))
      await expect.poll(() => reader!.bytesRead).toBe(2 * MB)
      const limit = createUnreadLimit(() => accepted, 3 * MB)
      await limit()
      await expect.poll(() => accepted.size).toBe(2)
      await limit()
      expect(accepted.size).toBe(2)
      expect([...accepted].some(({ remotePort }) => remotePort === reader!.localPort)).toBe(true)
    },
  )
})
