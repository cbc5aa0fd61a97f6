import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { selfSigned } from '../outbound/testing/certificate.ts'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { type Database, openDatabase } from './database.ts'
import { identifier, sql } from './sql.ts'
import { isUnavailable, unavailableCode } from './unavailable.ts'

let test: TestDatabase
const opened: Database[] = []
beforeAll(async () => {
  test = await testDatabase({ migrations: [] })
  await test.database.run(sql`create table kept (n integer)`)
})
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
})
afterAll(() => test.drop())

function open(url: string): Database {
  const database = openDatabase({ url, log: silentLog, applicationName: 'unusable', maxConnections: 3 })
  opened.push(database)
  return database
}
const failure = (work: Promise<unknown>) => work.then(() => undefined, unavailableCode)

describe('a connection of the pool', () => {
  it('[HST-42] that was opened while the database was read-only is replaced after a refused write', async () => {
    const name = identifier(new URL(test.url).pathname.slice(1))
    const database = open(test.url)
    const write = () => failure(database.run(sql`insert into kept values (1)`))
    await test.database.run(sql`alter database ${name} set default_transaction_read_only = on`)
    await Promise.all([1, 2, 3].map(() => database.run(sql`select pg_sleep(0.2)`)))
    expect(await write()).toBe('25006')
    await test.database.transaction(async (tx) => {
      await tx.run(sql`set local transaction_read_only = off`)
      await tx.run(sql`alter database ${name} reset default_transaction_read_only`)
    })
    // The connections are replaced at most once a second.
    await expect.poll(write).toBeUndefined()
    for (let i = 0; i < 10; i++) expect(await write()).toBeUndefined()
    await Promise.all([1, 2, 3].map(() => database.run(sql`insert into kept select 2 from pg_sleep(0.2)`)))
  })

  it('[ERR-24] that cannot be opened because of TLS counts as an unavailable database', async () => {
    const { key, cert } = selfSigned({ addresses: ['127.0.0.1'] })
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      // The client requests TLS, and PostgreSQL accepts with one letter.
      socket.once('data', () => {
        socket.write('S')
        new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => undefined)
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const database = open(`postgres://x:y@127.0.0.1:${port}/x?sslmode=verify-full`)
    const err = await database.ping().then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(isUnavailable(err)).toBe(true)
    expect(unavailableCode(err)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
    server.close()
  })
})
