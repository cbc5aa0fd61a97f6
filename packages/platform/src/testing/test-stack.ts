import { type Building, generateBuilding, resolveSpec } from '@storey/building'
import type { SeedResult, ServeConfig, StackReport } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import { type Database, readMigrations } from '@storey/kit/database'
import { testDatabase, watchDocumented } from '@storey/kit/testing'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import type { Bus } from '../bus/bus.ts'
import { createStack, type StackParts } from '../create-stack.ts'
import type { Storage } from '../disk-space/storage.ts'
import type { FaultDetection } from '../features/faults/detection/detect.ts'
import type { ServiceDesk } from '../features/service-desk/create-service-desk.ts'
import type { Dispatcher } from '../features/webhooks/delivery/dispatcher.ts'
import type { Revocations } from '../http/revocations.ts'
import { MIGRATIONS_DIRECTORY } from '../migrations.ts'
import type { Placement } from '../seed/graph-load.ts'
import { place, type SeedRequest, seedBuilding, writeBuilding } from '../seed/seed-building.ts'
import { ORGANIZATION_ID, SANDBOX_ID, sandboxToken, TOKEN_RULES } from './tokens.ts'

export const SMALL = resolveSpec({ seed: 'small', storeys: 3, spacesMin: 6, spacesMax: 9 })

export function seedRequest(changes: Partial<SeedRequest> = {}): SeedRequest {
  return {
    sandboxId: SANDBOX_ID,
    organizationId: ORGANIZATION_ID,
    building: SMALL,
    telemetryDays: 0,
    until: '2026-03-01T08:00:00.000Z',
    ...changes,
  }
}

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses without a schema.
  body: any
  headers: Record<string, unknown>
}

export interface TestStack {
  db: Database
  /** The generated building, to compare with. */
  building: Building
  idOf(key: string): string
  seeded: Pick<SeedResult, 'siteId' | 'buildingId'>
  /** A second building of the same tenant. */
  other: { buildingId: string; building: Building; idOf(key: string): string }
  /** Sends a GET request with the sandbox's own token, unless another Authorization header (or none) is given. */
  get(path: string, authorization?: string | null): Promise<Answer>
  /** Sends a request; `authorization` is as in `get`. A text body is sent unchanged; `headers` has its content type. */
  send(
    method: Method,
    path: string,
    body?: unknown,
    authorization?: string | null,
    headers?: Record<string, string>,
  ): Promise<Answer>
  /** Folds all waiting batches. */
  folded(): Promise<void>
  bus(): Bus
  webhooks(): Dispatcher
  /** Listens, and returns the address. */
  listen(): Promise<string>
  revocations(): Revocations
  /** Waits until the simulated buildings are up to date. */
  simulated(): Promise<void>
  faults(): FaultDetection
  serviceDesk(): ServiceDesk
  storage(): Storage
  report(): Promise<StackReport>
  /** The folder with the files of the stack. */
  folder: string
  /** Stops the stack and starts another one on the same database and folder. */
  restart(): Promise<void>
  close(): Promise<void>
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** A whole stack in the process of the test, with its own database. `get` and `send` use no network connection. */
export async function startTestStack(
  changes: Partial<ServeConfig> = {},
  seedChanges: Partial<SeedRequest> = {},
  clock?: Clock,
  parts: Pick<StackParts, 'resolve' | 'limits' | 'memory'> = {},
): Promise<TestStack> {
  const request = seedRequest(seedChanges)
  const building = generateBuilding(request.building)
  const { idOf } = place(request)
  const other = secondBuilding()
  const { url, database, drop } = await testDatabase({
    migrations: readMigrations(MIGRATIONS_DIRECTORY),
    content: {
      key: JSON.stringify(request),
      async write(db) {
        await seedBuilding(db, request, () => undefined)
        await db.transaction((tx) => writeBuilding(tx, other.building, other.placement, () => undefined))
      },
    },
  })
  const folder = temporaryFolder('storey-stack')
  const documented = watchDocumented()
  const start = () =>
    createStack(serveConfig(url, changes), documented.log, { folder, ...parts, ...(clock ? { clock } : {}) })
  let stack = await start()
  const token = await sandboxToken()
  const send: TestStack['send'] = async (method, url, payload, authorization = `Bearer ${token}`, further = {}) => {
    const headers = authorization === null ? further : { ...further, authorization }
    const body = payload === undefined ? {} : { payload: payload as object }
    const answer = await stack.http.inject({ method, url, headers, ...body })
    const isJson = /json/.test(String(answer.headers['content-type'] ?? ''))
    return { status: answer.statusCode, body: isJson ? answer.json() : answer.body, headers: answer.headers }
  }
  return {
    db: database,
    building,
    idOf,
    seeded: { siteId: idOf(building.site.key), buildingId: idOf(building.building.key) },
    other,
    get: (path, authorization) => send('GET', path, undefined, authorization),
    send,
    folded: () => stack.compaction.idle(),
    bus: () => stack.bus,
    webhooks: () => stack.webhooks,
    listen: async () => `http://127.0.0.1:${await stack.listen()}`,
    revocations: () => stack.revocations,
    simulated: () => stack.simulator.idle(),
    faults: () => stack.faults,
    serviceDesk: () => stack.serviceDesk,
    storage: () => stack.storage,
    report: () => stack.report(),
    folder,
    async restart() {
      await stack.close()
      stack = await start()
    },
    async close() {
      await stack.close()
      await drop()
      documented.check()
    },
  }
}

export const SEAL_KEY = 'a1'.repeat(32)

export function serveConfig(databaseUrl: string, changes: Partial<ServeConfig> = {}): ServeConfig {
  return {
    sandboxId: SANDBOX_ID,
    organizationId: ORGANIZATION_ID,
    databaseUrl,
    logLevel: 'warn',
    logForm: 'lines',
    apiUrl: 'http://test.localhost:4000',
    pathUrl: null,
    token: TOKEN_RULES,
    sandboxesIssuer: null,
    rateLimitPerMinute: 0,
    sandboxRateLimitPerMinute: 0,
    sealKey: SEAL_KEY,
    storageLimitMb: 0,
    spacesPageCap: 1000,
    mode: 'development',
    corsOrigins: [],
    moduleRoute: 'on',
    memoryLimitMb: 1024,
    ...changes,
  }
}

function secondBuilding(): TestStack['other'] & { placement: Placement } {
  const request = seedRequest({ building: { ...SMALL, seed: 'other' } })
  const drawn = generateBuilding(request.building)
  const building = { ...drawn, site: { ...drawn.site, code: 'SECOND-SITE' } }
  const placement = place(request)
  return { building, buildingId: placement.idOf(building.building.key), idOf: placement.idOf, placement }
}
