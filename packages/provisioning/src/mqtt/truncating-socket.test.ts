import { randomBytes, randomInt } from 'node:crypto'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { LIMITS } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lengthDigits, MAX_PUBLISH_BYTES } from './framing.ts'
import { openTruncating, type TruncatingSocket } from './truncating-socket.ts'

const packet = (type: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from([type, ...lengthDigits(body.length)]), body])

describe('a connection to an external broker', () => {
  const server = createServer()
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  async function pair(): Promise<{ broker: Socket; client: TruncatingSocket }> {
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))
    const { port } = server.address() as AddressInfo
    const client = openTruncating(new URL(`mqtt://127.0.0.1:${port}`))
    return { broker: await accepted, client }
  }

  async function read(client: TruncatingSocket): Promise<Buffer> {
    const chunks: Buffer[] = []
    for await (const chunk of client) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  it('passes every packet, in any number of pieces', async () => {
    const sizes = [0, 1, 127, 128, 16_383, 16_384, 300_000, ...Array.from({ length: 40 }, () => randomInt(2_000))]
    const sent = Buffer.concat(sizes.flatMap((size) => [packet(0x32, randomBytes(size)), packet(0x90, randomBytes(3))]))
    const { broker, client } = await pair()
    const reading = read(client)
    for (let at = 0; at < sent.length; ) {
      const next = at + 1 + randomInt(randomInt(10) < 7 ? 9 : 20_000)
      await new Promise((resolve) => broker.write(sent.subarray(at, next), resolve))
      at = next
    }
    broker.end()
    expect((await reading).equals(sent)).toBe(true)
  })

  it('[MQT-16] truncates a message above the limit, and passes the next one unchanged', async () => {
    const { broker, client } = await pair()
    const reading = read(client)
    const behind = packet(0x32, randomBytes(500))
    broker.end(Buffer.concat([packet(0x32, Buffer.alloc(3 * LIMITS.bodyBytes)), behind]))
    const received = await reading
    expect(received.subarray(-behind.length).equals(behind)).toBe(true)
    expect(received.length).toBe(1 + 4 + MAX_PUBLISH_BYTES + 1 + behind.length)
  })

  it('sends what the client writes, and is closed when the client is destroyed', async () => {
    const { broker, client } = await pair()
    const received = new Promise<Buffer>((resolve) => broker.once('data', resolve))
    client.write(Buffer.from([0xc0, 0]))
    expect([...(await received)]).toEqual([0xc0, 0])
    const closed = new Promise((resolve) => broker.once('close', resolve))
    client.destroy()
    broker.resume()
    await closed
  })
})
