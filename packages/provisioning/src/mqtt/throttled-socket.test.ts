import { randomBytes, randomInt } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { LIMITS } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMemoryBudget } from './memory-budget.ts'
import { createPacketRate } from './packet-rate.ts'
import { ThrottledSocket } from './throttled-socket.ts'

const CONNECT = Buffer.from([0x10, 2, 1, 2])
const PING = Buffer.from([0xc0, 0])

/** The frame of a PUBLISH packet; its content does not matter to the socket. */
function publish(body: Buffer): Buffer {
  const digits = []
  for (let left = body.length; digits.length === 0 || left > 0; left >>= 7)
    digits.push((left & 127) | (left > 127 ? 128 : 0))
  return Buffer.concat([Buffer.from([0x32, ...digits]), body])
}

describe('ThrottledSocket', () => {
  const server = createServer({ allowHalfOpen: true })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  async function pair(): Promise<{
    socket: ThrottledSocket
    client: Socket
    output: () => Buffer
    ended: Promise<void>
  }> {
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.on('error', () => undefined)
    const socket = new ThrottledSocket(await accepted)
    const chunks: Buffer[] = []
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk))
    const ended = new Promise<void>((resolve) => socket.once('close', resolve).once('end', resolve))
    return { socket, client, output: () => Buffer.concat(chunks), ended }
  }

  it('passes every byte in order, in any pieces, with or without waiting', async () => {
    const sizes = [
      0,
      1,
      127,
      128,
      16_383,
      16_384,
      70_000,
      300_000,
      ...Array.from({ length: 60 }, () => randomInt(3_000)),
    ]
    const sent = Buffer.concat([CONNECT, ...sizes.flatMap((size) => [publish(randomBytes(size)), PING])])
    const { socket, client, output, ended } = await pair()
    const budget = createMemoryBudget(100_000)
    socket.open(budget)
    const releasing = setInterval(() => socket.release(socket.shiftForwarded().bytes), 1)
    for (let at = 0; at < sent.length; ) {
      const next = Math.min(sent.length, at + 1 + randomInt(randomInt(10) < 7 ? 9 : 50_000))
      await new Promise((resolve) => client.write(sent.subarray(at, next), resolve))
      at = next
    }
    client.end()
    await ended
    clearInterval(releasing)
    expect(output().equals(sent)).toBe(true)
    socket.destroy()
    expect(budget.used()).toBe(0)
  })

  it('holds everything after CONNECT until the client is authenticated', async () => {
    const { socket, client, output } = await pair()
    client.write(Buffer.concat([CONNECT, PING, publish(Buffer.from('x'))]))
    await expect.poll(() => output().length).toBe(CONNECT.length)
    socket.open(createMemoryBudget(1_000))
    await expect.poll(() => output().length).toBe(CONNECT.length + PING.length + 3)
    socket.destroy()
  })

  it('does not read beyond the memory budget', async () => {
    const { socket, client, output } = await pair()
    const message = publish(Buffer.alloc(60))
    socket.open(createMemoryBudget(150))
    client.write(Buffer.concat([CONNECT, message, message, message]))
    await expect.poll(() => output().length).toBe(CONNECT.length + 2 * message.length)
    socket.release(socket.shiftForwarded().bytes)
    await expect.poll(() => output().length).toBe(CONNECT.length + 3 * message.length)
    socket.destroy()
  })

  it('returns everything in one read, as the broker expects', async () => {
    const { socket, client, output } = await pair()
    const read: Buffer[] = []
    socket.removeAllListeners('data').once('readable', () => read.push(socket.read()!))
    client.write(CONNECT)
    await expect.poll(() => read).toEqual([CONNECT])
    expect(socket.readableLength + output().length).toBe(0)
    socket.destroy()
  })

  it('passes whole messages with QoS 1 to their handler, and the others to the broker', async () => {
    const sizes = [1, 127, 128, 70_000, 300_000, ...Array.from({ length: 40 }, () => randomInt(3_000))]
    const bodies = sizes.map((size, i) => Buffer.concat([Buffer.from([i]), randomBytes(size)]))
    const isTaken = (body: Buffer) => body[0]! % 2 === 0
    const { socket, client, output, ended } = await pair()
    const budget = createMemoryBudget(400_000)
    const messages: Buffer[] = []
    socket.open(budget, createPacketRate(), (body, { bytes }) => {
      if (!isTaken(body)) return false
      messages.push(body)
      setTimeout(() => socket.release(bytes), 1)
      return true
    })
    const releasing = setInterval(() => socket.release(socket.shiftForwarded().bytes), 1)
    const sent = Buffer.concat([CONNECT, ...bodies.map(publish)])
    for (let at = 0; at < sent.length; ) {
      const next = Math.min(sent.length, at + 1 + randomInt(randomInt(10) < 7 ? 9 : 50_000))
      await new Promise((resolve) => client.write(sent.subarray(at, next), resolve))
      at = next
    }
    // A part of a message, whose memory is freed with the connection.
    client.end(publish(randomBytes(100)).subarray(0, 50))
    await ended
    clearInterval(releasing)
    // A message behind one that the broker has not handled yet goes to the broker too.
    const others = bodies.filter((body) => !messages.some((message) => message.equals(body)))
    expect(messages.length).toBeGreaterThan(0)
    expect(others.length + messages.length).toBe(bodies.length)
    expect(output()).toEqual(Buffer.concat([CONNECT, ...others.map(publish)]))
    socket.destroy()
    await expect.poll(() => budget.used()).toBe(0)
  })

  it('[MQT-20] closes the connection of a silent client, but not of one that has to wait', async () => {
    const [silent, waiting] = [await pair(), await pair()]
    for (const { socket, client } of [silent, waiting]) {
      socket.limitSilence(50)
      client.write(CONNECT)
    }
    waiting.client.write(PING)
    await silent.ended
    expect(silent.socket.destroyed).toBe(true)
    expect(waiting.socket.destroyed).toBe(false)
    waiting.socket.open(createMemoryBudget(1_000))
    await waiting.ended
    expect(waiting.output()).toEqual(Buffer.concat([CONNECT, PING]))
  })

  it('disconnects a client that does not read what was written', async () => {
    const { socket, client } = await pair()
    client.pause()
    expect(socket.write(Buffer.alloc(32 * 1024 * 1024))).toBe(false)
    await socket.drained(50)
    expect(socket.errored).toMatchObject({ message: 'client does not read' })
    client.destroy()
  })

  it('truncates a message above the limit, and passes the next packet', async () => {
    const { socket, client, output } = await pair()
    socket.open(createMemoryBudget(1))
    client.write(Buffer.concat([CONNECT, publish(Buffer.alloc(3 * LIMITS.bodyBytes)), PING]))
    await expect.poll(() => output().subarray(-2)).toEqual(PING)
    expect(output().length).toBeLessThan(70_000)
    const { bytes, leftOut } = socket.shiftForwarded()
    expect(bytes - 1 + leftOut).toBe(3 * LIMITS.bodyBytes)
    socket.destroy()
  })
  it('[MQT-19] limits control packets at a rate that all clients of a sandbox share', async () => {
    const [one, two, other] = [await pair(), await pair(), await pair()]
    const shared = createPacketRate()
    const flood = Buffer.concat([CONNECT, ...Array.from({ length: 20_000 }, () => PING)])
    for (const { socket, client } of [one, two]) {
      socket.open(createMemoryBudget(1_000), shared)
      client.write(flood)
    }
    await expect.poll(() => one.output().length).toBeGreaterThan(10 * PING.length)
    other.socket.open(createMemoryBudget(1_000), createPacketRate())
    other.client.write(Buffer.concat([CONNECT, PING]))
    await expect.poll(() => other.output().length).toBe(CONNECT.length + PING.length)
    // Both clients make progress, but together they have passed less than the flood of one of them.
    await expect.poll(() => two.output().length).toBeGreaterThan(10 * PING.length)
    expect(one.output().length + two.output().length).toBeLessThan(flood.length)
    for (const { socket } of [one, two, other]) socket.destroy()
  })

  it('[MQT-19] disconnects a client with too long a list of filters', async () => {
    const { socket, client, ended } = await pair()
    socket.open(createMemoryBudget(1_000))
    client.write(Buffer.concat([CONNECT, Buffer.from([0x82, 0x81, 0x80, 1]), Buffer.alloc(16 * 1024 + 1)]))
    await ended
    expect(socket.destroyed).toBe(true)
  })
})
