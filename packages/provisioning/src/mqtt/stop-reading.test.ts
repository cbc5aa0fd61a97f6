import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { stopReading } from './stop-reading.ts'

describe('a socket that stops reading', () => {
  it('[DIR-30] returns the bytes in its own buffer, and leaves later bytes in the buffer of the kernel', async () => {
    const server = createServer({ pauseOnConnect: true })
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const socket = await accepted
    const read: Buffer[] = []
    const collect = (bytes: Buffer) => read.push(bytes)
    socket.on('data', collect).resume()
    client.write('first')
    await expect.poll(() => Buffer.concat(read).toString()).toBe('first')
    // A paused socket continues to read into its own buffer.
    socket.pause().off('data', collect)
    client.write('second')
    await expect.poll(() => socket.readableLength).toBe(6)
    expect(stopReading(socket).toString()).toBe('second')
    client.write('third')
    await sleep(100)
    expect(socket.bytesRead).toBe('first'.length + 'second'.length)
    for (const end of [socket, client]) end.destroy()
    server.close()
  })
})
