import { randomBytes, randomInt } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { LIMITS } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMemoryBudget } from './memory-budget.ts'
import { createPacketRate } from './packet-rate.ts'
import { type TakePacket, ThrottledSocket } from './throttled-socket.ts'

const CONNECT = Buffer.from([0x10, 2, 1, 2])
const PING = Buffer.from([0xc0, 0])
const DISCONNECT = Buffer.from([0xe0, 0])

/** Passes every packet to the output, and collects how many bytes of the budget each message uses. */
function passAll() {
  const used: number[] = []
  const takePacket: TakePacket = ({ budgetBytes }) => {
    if (budgetBytes > 0) used.push(budgetBytes)
    return false
  }
  return { takePacket, next: () => used.shift() ?? 0 }
}

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
    /** The server's end of the client's connection. */
    tcp: Socket
    output: () => Buffer
    ended: Promise<void>
  }> {
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.on('error', () => undefined)
    const tcp = await accepted
    const socket = new ThrottledSocket(tcp)
    const chunks: Buffer[] = []
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk))
    const ended = new Promise<void>((resolve) => socket.once('close', resolve).once('end', resolve))
    return { socket, client, tcp, output: () => Buffer.concat(chunks), ended }
  }

  it('passes every byte in order, however the bytes are split, and whether or not packets have to wait', async () => {
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
    const { takePacket, next: nextUsed } = passAll()
    socket.open(budget, createPacketRate(), takePacket)
    const releasing = setInterval(() => socket.release(nextUsed()), 1)
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
    for (let bytes = nextUsed(); bytes > 0; bytes = nextUsed()) socket.release(bytes)
    expect(budget.used()).toBe(0)
  })

  it('holds everything after CONNECT until the client is authenticated', async () => {
    const { socket, client, output } = await pair()
    client.write(Buffer.concat([CONNECT, PING, publish(Buffer.from('x'))]))
    await expect.poll(() => output().length).toBe(CONNECT.length)
    socket.open(createMemoryBudget(1_000), createPacketRate(), passAll().takePacket)
    await expect.poll(() => output().length).toBe(CONNECT.length + PING.length + 3)
    socket.destroy()
  })

  it('does not read beyond the memory budget', async () => {
    const { socket, client, output } = await pair()
    const message = publish(Buffer.alloc(60))
    const { takePacket, next } = passAll()
    socket.open(createMemoryBudget(150), createPacketRate(), takePacket)
    client.write(Buffer.concat([CONNECT, message, message, message]))
    await expect.poll(() => output().length).toBe(CONNECT.length + 2 * message.length)
    socket.release(next())
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

  it('passes whole packets to the handler, and to the broker the packets that the handler does not take', async () => {
    const sizes = [1, 127, 128, 70_000, 300_000, ...Array.from({ length: 40 }, () => randomInt(3_000))]
    const bodies = sizes.map((size, i) => Buffer.concat([Buffer.from([i]), randomBytes(size)]))
    const isTaken = (body: Buffer) => body[0]! % 2 === 0
    const { socket, client, output, ended } = await pair()
    const budget = createMemoryBudget(400_000)
    const taken: Buffer[] = []
    socket.open(budget, createPacketRate(), ({ body, budgetBytes }) => {
      setTimeout(() => socket.release(budgetBytes), 1)
      if (isTaken(body)) taken.push(body)
      return isTaken(body)
    })
    const sent = Buffer.concat([CONNECT, ...bodies.map(publish)])
    for (let at = 0; at < sent.length; ) {
      const next = Math.min(sent.length, at + 1 + randomInt(randomInt(10) < 7 ? 9 : 50_000))
      await new Promise((resolve) => client.write(sent.subarray(at, next), resolve))
      at = next
    }
    // The client sends only a part of the last message. The memory of that message is freed with the connection.
    client.end(publish(randomBytes(100)).subarray(0, 50))
    await ended
    expect(taken).toEqual(bodies.filter(isTaken))
    const others = bodies.filter((body) => !isTaken(body))
    expect(output()).toEqual(Buffer.concat([CONNECT, ...others.map(publish)]))
    socket.destroy()
    await expect.poll(() => budget.used()).toBe(0)
  })

  it('[MQT-24] is closed after DISCONNECT only when the messages before it are handled, and reads nothing that follows DISCONNECT', async () => {
    const { socket, client, output, ended } = await pair()
    const { takePacket, next } = passAll()
    socket.open(createMemoryBudget(1_000), createPacketRate(), takePacket)
    const messages = [publish(Buffer.from('x')), publish(Buffer.from('y'))]
    client.end(Buffer.concat([CONNECT, ...messages, DISCONNECT, PING, publish(Buffer.from('z'))]))
    const expected = Buffer.concat([CONNECT, ...messages, DISCONNECT])
    await expect.poll(() => output().length).toBe(expected.length)
    // The broker closes the connection when it reads DISCONNECT.
    socket.destroy()
    expect(socket.destroyed).toBe(false)
    socket.release(next())
    expect(socket.destroyed).toBe(false)
    socket.release(next())
    await ended
    await expect.poll(() => socket.destroyed).toBe(true)
    expect(output()).toEqual(expected)
  })

  it('[MQT-20] closes the connection of a silent client, but not that of a client that has to wait', async () => {
    const [silent, waiting] = [await pair(), await pair()]
    for (const { socket, client } of [silent, waiting]) {
      socket.limitSilence(50)
      client.write(CONNECT)
    }
    waiting.client.write(PING)
    await silent.ended
    expect(silent.socket.destroyed).toBe(true)
    expect(waiting.socket.destroyed).toBe(false)
    waiting.socket.open(createMemoryBudget(1_000), createPacketRate(), passAll().takePacket)
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

  it('[MQT-27] takes memory only for the bytes of a message that have arrived, and frees it when the client disconnects', async () => {
    const memory = () => process.memoryUsage().arrayBuffers
    const budget = createMemoryBudget(Number.POSITIVE_INFINITY)
    const message = publish(Buffer.alloc(LIMITS.bodyBytes))
    const before = memory()
    const clients: Awaited<ReturnType<typeof pair>>[] = []
    while (clients.length < 10) clients.push(await pair())
    const sendTo = async (bytes: number) => {
      for (const { client, tcp } of clients) {
        const from = client.bytesWritten - CONNECT.length
        await new Promise((resolve) => client.write(message.subarray(from, bytes), resolve))
        await expect.poll(() => tcp.bytesRead).toBe(bytes + CONNECT.length)
      }
    }
    for (const { socket, client } of clients) {
      socket.open(budget, createPacketRate(), passAll().takePacket)
      await new Promise((resolve) => client.write(CONNECT, resolve))
    }
    await sendTo(1_000)
    expect(budget.used()).toBeGreaterThan(clients.length * LIMITS.bodyBytes)
    expect(memory() - before).toBeLessThan(2 * LIMITS.bodyBytes)
    await sendTo(message.length - 1_000)
    for (const { client } of clients) client.destroy()
    await Promise.all(clients.map(({ ended }) => ended))
    for (const { socket } of clients) socket.destroy()
    // Some buffers are kept for the next messages.
    await expect.poll(() => memory() - before).toBeLessThan(3 * LIMITS.bodyBytes)
    expect(clients[0]!.output()).toEqual(CONNECT)
  })

  it('truncates a message above the limit, and passes the next packet', async () => {
    const { socket, client, output } = await pair()
    let used = { bytes: 0, leftOut: 0 }
    socket.open(createMemoryBudget(1), createPacketRate(), ({ budgetBytes, leftOut }) => {
      if (budgetBytes > 0) used = { bytes: budgetBytes, leftOut }
      return false
    })
    client.write(Buffer.concat([CONNECT, publish(Buffer.alloc(3 * LIMITS.bodyBytes)), PING]))
    await expect.poll(() => output().subarray(-2)).toEqual(PING)
    expect(output().length).toBeLessThan(70_000)
    expect(used.bytes - 1 + used.leftOut).toBe(3 * LIMITS.bodyBytes)
    socket.destroy()
  })
  it('[MQT-19] limits control packets to a rate that all clients of a sandbox share', async () => {
    const [one, two, other] = [await pair(), await pair(), await pair()]
    const shared = createPacketRate()
    const flood = Buffer.concat([CONNECT, ...Array.from({ length: 20_000 }, () => PING)])
    for (const { socket, client } of [one, two]) {
      socket.open(createMemoryBudget(1_000), shared, passAll().takePacket)
      client.write(flood)
    }
    await expect.poll(() => one.output().length).toBeGreaterThan(10 * PING.length)
    other.socket.open(createMemoryBudget(1_000), createPacketRate(), passAll().takePacket)
    other.client.write(Buffer.concat([CONNECT, PING]))
    await expect.poll(() => other.output().length).toBe(CONNECT.length + PING.length)
    // Both clients make progress, but together they have passed less than the flood of one of them.
    await expect.poll(() => two.output().length).toBeGreaterThan(10 * PING.length)
    expect(one.output().length + two.output().length).toBeLessThan(flood.length)
    for (const { socket } of [one, two, other]) socket.destroy()
  })

  it('[MQT-19] disconnects a client with too long a list of filters', async () => {
    const { socket, client, ended } = await pair()
    socket.open(createMemoryBudget(1_000), createPacketRate(), passAll().takePacket)
    client.write(Buffer.concat([CONNECT, Buffer.from([0x82, 0x81, 0x80, 1]), Buffer.alloc(16 * 1024 + 1)]))
    await ended
    expect(socket.destroyed).toBe(true)
  })
})
