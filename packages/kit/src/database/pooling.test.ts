import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { type DatabaseProxy, startProxy } from '../testing/network.ts'
import { keepsSessions } from './pooling.ts'

/** PostgreSQL’s message ReadyForQuery, with the status that no transaction is open. */
const IDLE = Buffer.from('Z\0\0\0\x05I', 'latin1')

/** A pooler in transaction mode: a client has a server connection only during a transaction. */
function startPooler(url: string, take: (free: Socket[]) => Socket | undefined): Promise<DatabaseProxy> {
  const free: Socket[] = []
  const clientOf = new Map<Socket, Socket>()
  return startProxy(url, (client, opened) => {
    // Each client authenticates on its own connection, which then serves any client.
    let server: Socket | undefined = opened
    clientOf.set(opened, client)
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
  })
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
