import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateBuilding, resolveSpec } from '@storey/building'
import { EVENT_NAMES, type ServeConfig } from '@storey/contract'
import { migrate, openDatabase, readMigrations, withDatabaseName } from '@storey/kit/database'
import { startEmbeddedPostgres } from '@storey/kit/embedded-postgres'
import { silentLog } from '@storey/kit/log'
import { createStack, MIGRATIONS_DIRECTORY, type Stack, seedBuilding } from '@storey/platform'
import pg from 'pg'
import { pino } from 'pino'
import type { BusEvent } from '../packages/platform/src/bus/bus.ts'
import { place } from '../packages/platform/src/seed/seed-building.ts'
import { sandboxToken, TOKEN_RULES } from '../packages/platform/src/testing/tokens.ts'

/** A sandbox's database, with a small building in it. */
export interface Tenant {
  url: string
  buildingId: string
  pointId: string
}

/** A stack in this process, the events that its bus received, and its log. */
export interface Replica {
  stack: Stack
  received: BusEvent[]
  log: { msg: string; level: number }[]
  /** Returns the status of the response. */
  ingest(tenant: Tenant, value: string): Promise<number>
}

/** Starts a PostgreSQL, and returns functions that create tenants and start any number of stacks on it. */
export async function openReplicas(...natsUrls: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'storey-bus-'))
  chmodSync(folder, 0o711)
  const postgres = await startEmbeddedPostgres({
    folder: join(folder, 'postgres'),
    password: 'test',
    log: silentLog,
    settings: { fsync: 'off' },
  })
  const token = await sandboxToken()

  async function tenant(name: string): Promise<Tenant> {
    const server = new pg.Client(postgres.url)
    await server.connect()
    await server.query(`create database ${name}`)
    await server.end()
    const url = withDatabaseName(postgres.url, name)
    const db = openDatabase({ url, log: silentLog, applicationName: 'chaos', maxConnections: 2 })
    await db.session((session) => migrate(session, readMigrations(MIGRATIONS_DIRECTORY)))
    const building = resolveSpec({ seed: name, storeys: 1, spacesMin: 2, spacesMax: 4 })
    const request = {
      sandboxId: `sbx_${name}`,
      organizationId: 'org_test',
      building,
      telemetryDays: 0,
      until: new Date().toISOString(),
    }
    const { buildingId } = await seedBuilding(db, request, () => undefined)
    await db.close()
    return { url, buildingId, pointId: place(request).idOf(generateBuilding(building).points[0]!.key) }
  }

  const running: Stack[] = []
  async function replica({ url }: Tenant): Promise<Replica> {
    const config: ServeConfig = {
      sandboxId: 'sbx_test',
      organizationId: 'org_test',
      databaseUrl: url,
      logLevel: 'debug',
      logForm: 'json',
      apiUrl: 'http://test.localhost:4000',
      pathUrl: null,
      token: TOKEN_RULES,
      sandboxesIssuer: null,
      rateLimitPerMinute: 0,
      sandboxRateLimitPerMinute: 0,
      sealKey: 'a1'.repeat(32),
      storageLimitMb: 0,
      spacesPageCap: 1000,
      mode: 'development',
      corsOrigins: [],
      moduleRoute: 'on',
      memoryLimitMb: 1024,
      natsUrls,
    }
    const log: Replica['log'] = []
    const logger = pino({ level: 'debug' }, { write: (line) => void log.push(JSON.parse(line)) })
    const stack = await createStack(config, logger, { folder: mkdtempSync(join(folder, 'stack-')) })
    running.push(stack)
    const received: BusEvent[] = []
    for (const name of EVENT_NAMES) stack.bus.subscribe(name, (event) => received.push(event))
    return {
      stack,
      received,
      log,
      async ingest({ buildingId, pointId }, value) {
        const answer = await stack.http.inject({
          method: 'POST',
          url: `/api/v1/buildings/${buildingId}/telemetry/observations`,
          headers: { authorization: `Bearer ${token}` },
          payload: { observations: [{ pointId, value }] },
        })
        return answer.statusCode
      },
    }
  }

  return {
    tenant,
    replica,
    async close(): Promise<void> {
      for (const stack of running) await stack.close()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
