import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { shellSlug } from '@storey/contract'
import { type Clock, movableClock } from '@storey/kit/clock'
import { type Database, readMigrations } from '@storey/kit/database'
import { type Log, silentLog } from '@storey/kit/log'
import { testDatabase } from '@storey/kit/testing'
import { createIdentity, IDENTITY_MIGRATIONS, IDENTITY_MIGRATIONS_TABLE, type Identity } from '../index.ts'

export interface ServedIdentity extends Identity {
  url: string
  stop(): Promise<void>
}

export interface ServeOptions {
  database: Database
  clock?: Clock
  log?: Log
  /** The public origin, if it is that of another process or of a proxy. */
  publicUrl?: string
  port?: number
  masterSecret?: string
  /** Returns the client address that the realms see. */
  addressOf?: () => string
  slowDownMs?: number
  /** Hashes passwords with the work factor of production instead of a minimal one. */
  fullPasswordWork?: boolean
  baseDomain?: string
}

export const MASTER_SECRET = 'a master secret for tests'

export const identityDatabase = () =>
  testDatabase({ migrations: readMigrations(IDENTITY_MIGRATIONS), migrationsTable: IDENTITY_MIGRATIONS_TABLE })

/** Serves the realms on a separate server, which passes each request to `handle`, as the host package does. */
export async function serveIdentity(options: ServeOptions): Promise<ServedIdentity> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://localhost:${port}`
  const identity = await createIdentity({
    database: options.database,
    publicUrl: options.publicUrl ?? url,
    masterSecret: options.masterSecret ?? MASTER_SECRET,
    shellOriginOf: (clientId) => `http://${shellSlug(clientId)}.${options.baseDomain ?? 'localhost'}:4000`,
    clock: options.clock ?? movableClock(),
    log: options.log ?? silentLog,
    ...(options.fullPasswordWork ? {} : { passwordWork: 2 }),
    ...(options.slowDownMs === undefined ? {} : { slowDownMs: options.slowDownMs }),
    ...(options.addressOf ? { addressOf: options.addressOf } : {}),
  })
  server.on('request', (request, response) => {
    if (!identity.handle(request, response)) response.writeHead(404).end('not a realm')
  })
  return {
    ...identity,
    url,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await identity.close()
    },
  }
}
