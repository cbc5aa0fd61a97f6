import type { AddressInfo } from 'node:net'
import { createServer as createTcpServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { bearer } from '../credentials/credential.ts'
import { createPlatformClient } from '../platform/client.ts'
import { reasonOf } from './reasons.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Starts a server that sends this text on each connection, and then closes the connection if `isClosed`. */
async function serverSending(text: string, isClosed: boolean): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => (isClosed ? socket.end(text) : socket.write(text)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return (server.address() as AddressInfo).port
}

const listAt = (url: string, timeoutSeconds = 5) =>
  createPlatformClient({ url, credential: bearer('t'), timeoutSeconds, retry: { attempts: 0 } }).buildings.list()

describe('the reason of a failed connection', () => {
  it('is plain text for real network errors', async () => {
    const noHttp = await serverSending('220 mail.example ready\r\n', true)
    const half = await serverSending('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"data"', true)
    const slow = await serverSending('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"data"', false)
    for (const [url, reason] of [
      [`http://127.0.0.1:${noHttp}`, 'the server does not speak HTTP'],
      [`https://127.0.0.1:${noHttp}`, 'the server does not speak TLS'],
      [`http://127.0.0.1:${half}`, 'the connection broke'],
      [`http://half.localhost:${half}`, 'the connection broke'],
      ['http://127.0.0.1:1', 'nothing listens there'],
    ]) {
      await expect(listAt(url!)).rejects.toMatchObject({
        name: 'UnreachableError',
        message: expect.stringContaining(`cannot be reached: ${reason}`),
      })
    }
    await expect(listAt(`http://127.0.0.1:${slow}`, 0.1)).rejects.toThrow('the response did not complete in time')
  })

  it('is never the message of a library', () => {
    expect(reasonOf(new TypeError('terminated'))).toBe('the connection failed')
    expect(reasonOf(new TypeError('fetch failed', { cause: new Error('bad port') }))).toBe('the connection failed')
    expect(reasonOf(Object.assign(new Error('write X'), { code: 'EODD' }))).toBe('the connection failed (EODD)')
    expect(reasonOf(new AggregateError([Object.assign(new Error(''), { code: 'ECONNREFUSED' })]))).toBe(
      'nothing listens there',
    )
  })

  it('is reported even if the `fetch` option ignores the abort signal', async () => {
    const neverResponds = () => new Promise<never>(() => undefined)
    const client = createPlatformClient({
      url: 'http://x.example',
      credential: bearer('t'),
      timeoutSeconds: 0.05,
      retry: { attempts: 0 },
      fetch: neverResponds,
    })
    await expect(client.buildings.list()).rejects.toThrow('no response came in time')
  })
})
