import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { keepsSessions } from './pooling.ts'

/** The message ReadyForQuery, when no transaction is open. */
const IDLE = Buffer.from('Z\0\0\0\x05I', 'latin1')

/** A pooler in transaction mode: a client has a server connection only during a transaction. */
async function startPooler(url: string, take: (free: Socket[]) => Socket | undefined) {
  const { port, hostname } = new URL(url)
  const sockets: Socket[] = []
  const free: Socket[] = []
  const clientOf = new Map<Socket, Socket>()
  const listener = createServer((client) => {
    // Each client authenticates on its own connection, which then serves any client.
    let server: Socket | undefined = connect(Number(port), hostname)
    const opened = server
    clientOf.set(opened, client)
    sockets.push(client, opened)
    for (const socket of [client, opened]) socket.on('error', () => undefined)
    opened.on('data', (data: Buffer) => {
      clientOf.get(opened)?.write(data)
      if (!data.subarray(-IDLE.length).equals(IDLE)) return
      clientOf.get(opened)?.emit('idle')
      free.push(opened)
    })
    client.on('idle', () => {
      server = undefined
    })
    client.on('data', (data) => {
      server ??= take(free)
      if (server === undefined) return
      clientOf.set(server, client)
      server.write(data)
    })
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const through = new URL(url)
  through.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`
  return {
    url: through.href,
    close(): void {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

describe('sessions of the database', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await testDatabase({ migrations: [] })
  })
  afterAll(() => test.drop())

  it('[HST-44] are kept by PostgreSQL itself', async () => {
    expect(await keepsSessions(test.url, 'test')).toBe(true)
  })

  it.each([
    ['takes the connection used last', (free: Socket[]) => free.pop()],
    ['takes the connections in turn', (free: Socket[]) => free.shift()],
  ])('[HST-44] are not kept by a pooler that %s for each transaction', async (_how, take) => {
    const pooler = await startPooler(test.url, take)
    expect(await keepsSessions(pooler.url, 'test')).toBe(false)
    pooler.close()
  })
})
