import { join } from 'node:path'
import type { ServeConfig } from '@storey/contract'
import { type Clock, systemClock } from '@storey/kit/clock'
import { migrate, openDatabase, readMigrations } from '@storey/kit/database'
import type { HttpApp } from '@storey/kit/http'
import { Lifecycle } from '@storey/kit/lifecycle'
import type { Log } from '@storey/kit/log'
import type { TokenRules } from '@storey/kit/tokens'
import { type Bus, createBus } from './bus/bus.ts'
import { createAuthentication } from './edges/http/authentication.ts'
import { createAuthorization } from './edges/http/authorization.ts'
import { createPlatformHttp } from './edges/http/http.ts'
import { createImportQueue } from './features/ifc-import/import-queue.ts'
import { takeValues } from './features/layers/move-values.store.ts'
import { openGraph } from './graph/open-graph.ts'
import { MIGRATIONS_DIRECTORY } from './migrations.ts'
import { createOutbox } from './outbox/outbox.ts'
import { type Compaction, createCompaction } from './telemetry/compaction/compaction.ts'
import { createIngest } from './telemetry/ingest/ingest.ts'

export interface Stack {
  readonly http: HttpApp
  readonly bus: Bus
  readonly compaction: Compaction
  /** Accepts requests on a free port of the loopback interface, and tells which. */
  listen(): Promise<number>
  /** Stops accepting, lets running requests end, closes the database. */
  close(): Promise<void>
}

/** A connection is taken only while a statement runs; one building's API needs few. */
const MAX_CONNECTIONS = 5
const DRAIN_LIMIT_MS = 10_000

export interface StackParts {
  clock?: Clock
  /** Where the stack may keep files. */
  folder: string
}

export async function createStack(config: ServeConfig, log: Log, parts: StackParts): Promise<Stack> {
  const { clock = systemClock, folder } = parts
  const lifecycle = new Lifecycle(log)
  try {
    const { databaseUrl: url, sandboxId, organizationId, spacesPageCap } = config
    const db = openDatabase({ url, log, applicationName: `stack ${sandboxId}`, maxConnections: MAX_CONNECTIONS })
    lifecycle.onClose('database', () => db.close())

    const believed = { sandboxToken: tokenRules(config), sandboxesIssuer: config.sandboxesIssuer ?? null }
    const authenticate = await createAuthentication(believed, clock)
    const graph = openGraph(db, clock)
    const imports = createImportQueue({ db, graph, clock, log, takeAlong: takeValues, folder: join(folder, 'imports') })
    lifecycle.onClose('imports', () => imports.close(), DRAIN_LIMIT_MS)
    const compaction = createCompaction({ db, databaseUrl: url, applicationName: `folding ${sandboxId}`, log })
    lifecycle.onClose('compaction', () => compaction.close(), DRAIN_LIMIT_MS)
    const bus = createBus(log)
    const outbox = createOutbox(db)
    const ingest = createIngest({ db, clock, bus, outbox, onBatch: (count) => compaction.noteBatch(count) })
    const rateLimit = { perMinute: config.rateLimitPerMinute, clock }
    const authorize = createAuthorization(organizationId, authenticate, config.internalKey)
    // Together, since a caller waits: the routes are laid out while the database answers.
    const [, http] = await Promise.all([
      db.session((session) => migrate(session, readMigrations(MIGRATIONS_DIRECTORY))),
      createPlatformHttp({
        db,
        graph,
        imports,
        ingest,
        onSettings: () => compaction.tidy(),
        log,
        authorize,
        rateLimit,
        spacesPageCap,
      }),
    ])
    lifecycle.onClose('http', () => http.close(), DRAIN_LIMIT_MS)
    await Promise.all([imports.start(), compaction.start()])

    return { http, bus, compaction, listen: () => listen(http), close: () => lifecycle.close() }
  } catch (err) {
    await lifecycle.close()
    throw err
  }
}

function tokenRules({ sandboxId, token }: ServeConfig): TokenRules {
  return { issuer: token.issuer, audience: sandboxId, publicKey: token.publicKey as TokenRules['publicKey'] }
}

async function listen(http: HttpApp): Promise<number> {
  const address = await http.listen({ host: '127.0.0.1', port: 0 })
  return Number(new URL(address).port)
}
