import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeOrReset, unreadOf } from './unread-of.ts'

const MB = 1024 * 1024

// Only Linux reports what clients have not read.
describe.runIf(existsSync('/proc/net/tcp'))('a connection that is closed', () => {
  const server = createServer()
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  /** A connection on which the server calls `closeOrReset` while the client has not read all `bytes` yet. */
  async function closing(bytes: number) {
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
    const errors: (string | undefined)[] = []
    client.on('error', ({ code }: NodeJS.ErrnoException) => errors.push(code))
    const [socket] = await accepted
    socket.on('error', () => undefined).write(Buffer.alloc(bytes))
    await expect.poll(() => unreadOf(socket)).toBeGreaterThan(MB)
    const closed = once(socket, 'close')
    void closeOrReset(socket)
    return { client, errors, closed }
  }

  it.each([2, 50])(
    'is kept while its client pauses for a moment, until the client has read all %i MB',
    async (size) => {
      const { client, errors, closed } = await closing(size * MB)
      await sleep(250)
      client.resume()
      await Promise.all([once(client, 'end'), closed])
      expect([client.bytesRead, errors]).toEqual([size * MB, []])
    },
  )

  it('is reset if its client does not read, so that the kernel does not keep the rest', async () => {
    const { client, errors, closed } = await closing(2 * MB)
    await closed
    const over = new Promise((resolve) => client.once('close', resolve))
    client.resume()
    await over
    expect(errors).toEqual(['ECONNRESET'])
  })
})
