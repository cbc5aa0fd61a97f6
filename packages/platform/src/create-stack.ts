import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import type { ServeConfig, StackReport } from '@storey/contract'
import { type Clock, systemClock } from '@storey/kit/clock'
import { createClockCheck } from '@storey/kit/clock-check'
import {
  compareSchema,
  createVacuum,
  hasMigrationsKey,
  markUnreachable,
  openDatabase,
  readMigrations,
  serverTime,
  type TimeLimits,
  type Tx,
} from '@storey/kit/database'
import { createErrorLog, createRequestLimits, type HttpApp } from '@storey/kit/http'
import { Lifecycle } from '@storey/kit/lifecycle'
import type { Log } from '@storey/kit/log'
import { createOutbound, type OutboundOptions } from '@storey/kit/outbound'
import { createSteadyClock } from '@storey/kit/steady-clock'
import { type Bus, openBus, ownBuildings } from './bus/index.ts'
import { callerKey } from './caller.ts'
import { createRepeatedChange, publishChanges } from './change-feed/index.ts'
import { createDirectIngest, type DirectIngest } from './direct-ingest/index.ts'
import { createStorage, type Storage } from './disk-space/index.ts'
import { createDueWork, type DueWork } from './due-work.ts'
import { createFaultDetection, type FaultDetection } from './features/faults/index.ts'
import { createImportQueue, type DetachData } from './features/ifc-import/index.ts'
import { detachValues } from './features/layers/index.ts'
import { createServiceDesk, movePlaces, type ServiceDesk } from './features/service-desk/index.ts'
import { createSimulator, type Simulator } from './features/simulation/index.ts'
import { type Compaction, createCompaction, createIngest } from './features/telemetry/index.ts'
import {
  createDispatcher,
  createOutbox,
  createSecretVault,
  type Dispatcher,
  sealSecrets,
} from './features/webhooks/index.ts'
import { openGraph } from './graph/index.ts'
import {
  createAuthentication,
  createAuthorization,
  createPlatformHttp,
  createRevocations,
  type Revocations,
  trustOf,
} from './http/index.ts'
import { acceptUpgrade, attachLive, createOrigins, createSignIn, findRevision, type Live } from './live/index.ts'
import { admitByMemory, type Memory, unwatched } from './memory.ts'
import { MIGRATIONS_DIRECTORY } from './migrations.ts'
import { outboundRules } from './outbound-rules.ts'
import { createStackReport } from './stack-report.ts'

export interface Stack {
  readonly http: HttpApp
  readonly bus: Bus
  readonly revocations: Revocations
  readonly dueWork: DueWork
  readonly compaction: Compaction
  /** Figures for the operator. */
  report(): Promise<StackReport>
  readonly webhooks: Dispatcher
  readonly simulator: Simulator
  readonly faults: FaultDetection
  readonly serviceDesk: ServiceDesk
  readonly storage: Storage
  readonly clock: Clock
  /** Reports to pages that the accounts of the sandbox have changed. */
  peopleChanged(): void
  /** Accepts requests, by default on a free port of the loopback interface, and returns the port. */
  listen(): Promise<number>
  /** Accepts a connection that the gateway transferred for an upgrade. */
  accept(socket: Socket): void
  /** Serves connections of busy clients that send observations. The gateway and the MQTT broker transfer them. */
  readonly directIngest: DirectIngest
  /** Stops accepting requests, waits for running ones, and closes the database. */
  close(): Promise<void>
}

/** A database connection is used only while a statement or a transaction runs, so one sandbox needs few. */
const MAX_CONNECTIONS = 6
/** The thread that folds observations has its own connection. */
const FOLDING_CONNECTIONS = 1
/** An idle connection is closed soon, since many stacks share the connections of a server. */
const IDLE_CONNECTION_MS = 10_000
/**
 * One connection stays open, because background work needs one every few seconds, and opening it takes more time than
 * the queries of that work.
 */
const MIN_CONNECTIONS = 1
const DRAIN_LIMIT_MS = 10_000
/** How long a stack waits for NATS before it listens, if other processes may serve the sandbox too (`isShared`). */
const BUS_LIMIT_MS = 3_000
/**
 * The `serviceRun` of a stack that outlives the control plane: the configuration of such a stack has none. An attempt
 * of an import does not count if the control plane ended during it (`imports.store.ts`). With this constant, all
 * attempts belong to one run, so all of them count.
 */
const NO_SERVICE_RUN = '00000000'
/** How long closing waits for delivery attempts in progress. */
const WEBHOOKS_LIMIT_MS = 12_000

export interface StackParts {
  clock?: Clock
  /** The folder for the files of the stack. */
  folder: string
  /** The memory of the process. Absent: it is not watched. */
  memory?: Memory
  /** Resolves the names of external hosts. */
  resolve?: OutboundOptions['resolve']
  /** The time limits of requests in the database; the defaults when absent. */
  limits?: TimeLimits
  /** Called when the database was replaced. The stack cannot use the new one. */
  onReplaced?(): void
}

export async function createStack(config: ServeConfig, log: Log, parts: StackParts): Promise<Stack> {
  const { folder } = parts
  const anchor = config.clockAnchor
  const clock = parts.clock ?? createSteadyClock({ log, ...(anchor ? { anchor } : {}) })
  const lifecycle = new Lifecycle(log)
  try {
    const { databaseUrl: url, sandboxId, organizationId, spacesPageCap } = config
    const bus = await openBus(config, log)
    lifecycle.onClose('bus', () => bus.close())
    const db = openDatabase({
      ...{ url, log, applicationName: `stack ${sandboxId}`, idleMs: IDLE_CONNECTION_MS },
      minConnections: MIN_CONNECTIONS,
      maxConnections: (config.databaseConnections ?? MAX_CONNECTIONS) - FOLDING_CONNECTIONS,
      onCommit: (touched) => publishChanges(bus, touched),
      ...(parts.onReplaced ? { onReplaced: parts.onReplaced } : {}),
      ...(parts.limits ? { limits: parts.limits } : {}),
    })
    lifecycle.onClose('database', () => db.close())
    // Parts are closed in reverse order: due work after all parts that register with it, and before the database.
    const dueWork = createDueWork({ clock, log })
    lifecycle.onClose('due work', () => dueWork.close())

    const revocations = createRevocations()
    for (const { issuer, subject, at } of config.revoked ?? []) revocations.revoke(issuer, subject, new Date(at))
    const authenticate = await createAuthentication(trustOf(config), clock, revocations, log)
    const graph = openGraph(db, clock)
    const detachData = detachValuesAndRequests(clock)
    const imports = createImportQueue({
      db,
      graph,
      clock,
      log,
      detachData,
      serviceRun: config.serviceRun ?? NO_SERVICE_RUN,
      folder: join(folder, 'imports'),
      keepsFilesInDatabase: config.isShared ?? false,
    })
    lifecycle.onClose('imports', () => imports.close(), DRAIN_LIMIT_MS)
    const compaction = createCompaction({
      ...{ db, databaseUrl: url, applicationName: `folding ${sandboxId}`, log },
      clockCheck: createClockCheck({ clock: systemClock, serverTime: () => serverTime(db), log }),
    })
    lifecycle.onClose('compaction', () => compaction.close(), DRAIN_LIMIT_MS)
    const outbox = createOutbox(db)
    const outbound = createOutbound({
      ...outboundRules(config),
      ...(parts.resolve ? { resolve: parts.resolve } : {}),
    })
    lifecycle.onClose('outbound', () => outbound.close())
    const vault = createSecretVault(config.sealKey)
    let buildingIds: readonly string[] = []
    const deliveries = createRepeatedChange({ bus, buildingIds: () => buildingIds, kind: 'webhooks' })
    lifecycle.onClose('deliveries', async () => deliveries.close())
    const webhooks = createDispatcher({ db, clock, outbound, vault, log, onRecorded: deliveries.note })
    lifecycle.onClose('webhooks', () => webhooks.close(), WEBHOOKS_LIMIT_MS)
    outbox.onSent(() => webhooks.wake())
    dueWork.register(() => webhooks.nextDue())
    const faults = createFaultDetection({ db, clock, bus, outbox, log })
    lifecycle.onClose('faults', () => faults.close(), DRAIN_LIMIT_MS)
    dueWork.register(async () => faults.dueAt())
    const storage = createStorage({ db, folder, limitMb: config.storageLimitMb, log })
    lifecycle.onClose('storage', () => storage.close())
    const vacuum = createVacuum({ db, log })
    lifecycle.onClose('vacuum', () => vacuum.close())
    const onBatch = (bytes: number) => compaction.noteBatch(bytes)
    const ingest = createIngest({
      ...{ db, clock, bus, outbox, onBatch },
      checkCapacity: () => storage.check(),
      onObserved: (batch) => {
        simulator.observed(batch)
        // This call comes last, because the batch is freed when fault detection has checked it.
        faults.observed(batch)
      },
    })
    const memory = parts.memory ?? unwatched(config.memoryLimitMb * 1024 * 1024)
    let live: Live | undefined
    const followed = () => live?.followed() ?? []
    const foldingCapacity = compaction.capacity
    const simulator = createSimulator({ db, clock, bus, ingest, foldingCapacity, memory, log, followed })
    lifecycle.onClose('simulator', () => simulator.close(), DRAIN_LIMIT_MS)
    dueWork.register(() => simulator.nextDue())
    const serviceDesk = createServiceDesk({ db, clock, bus, log })
    lifecycle.onClose('service desk', () => serviceDesk.close(), DRAIN_LIMIT_MS)
    dueWork.register(() => serviceDesk.nextDue())
    const admission = admitByMemory(memory)
    const rateLimit = {
      perMinute: config.rateLimitPerMinute,
      shared: { name: 'sandbox', perMinute: config.sandboxRateLimitPerMinute },
      clock,
    }
    const limits = createRequestLimits(rateLimit)
    const checkCapacity = (bytes: number) => {
      storage.check()
      storage.note(bytes)
    }
    const authorize = createAuthorization(organizationId, authenticate, {
      internalKey: config.internalKey,
      checkCapacity,
    })
    // The routes are created while the database is checked, because a caller waits for the start.
    const [, http] = await Promise.all([
      db.session(checkSchema).then(() => sealSecrets(db, vault)),
      createPlatformHttp({
        apiUrl: config.apiUrl,
        pathUrl: config.pathUrl,
        signInIssuer: config.sandboxesIssuer,
        db,
        graph,
        imports,
        ingest,
        admission,
        foldingCapacity,
        onSettings: () => compaction.runUpkeep(),
        webhooks: { db, clock, outbound, vault, onChange: (id) => webhooks.changed(id) },
        onSimulation: () => {
          simulator.wake()
          dueWork.changed()
        },
        onFaultRules: (buildingId) => faults.rulesChanged(buildingId),
        serviceDesk,
        log,
        authorize,
        rateLimit,
        limits,
        spacesPageCap,
        moduleRoute: config.moduleRoute,
        ...(config.listen ? { listen: config.listen } : {}),
      }),
    ])
    lifecycle.onClose('http', () => http.close(), DRAIN_LIMIT_MS)
    const directIngest = createDirectIngest({
      ...{ tenantId: organizationId, authenticate, limits, checkCapacity, admission, ingest, foldingCapacity },
      logError: createErrorLog(log),
      messageCaller: callerKey({ issuer: config.token.issuer, subject: sandboxId }),
    })
    lifecycle.onClose('direct ingest', () => directIngest.close(), DRAIN_LIMIT_MS)
    const attached = attachLive(http.server, {
      ...{ bus, clock, log, revocations },
      origins: createOrigins(config.apiUrl, config.corsOrigins),
      signIn: createSignIn(authenticate, organizationId),
      findRevision: (id) => findRevision(db, id),
      onFollowed: () => simulator.wakeSoon(),
    })
    live = attached
    lifecycle.onClose('live', () => attached.close())
    buildingIds = await ownBuildings(db)
    bus.follow(buildingIds)
    // Until NATS is connected, live connections of a new replica miss events of the other replicas, and live
    // connections of the other replicas miss its events.
    if (config.isShared) await bus.untilConnected(BUS_LIMIT_MS)
    await Promise.all([storage.start(), imports.start(), compaction.start(), simulator.start(), faults.start()])
    webhooks.start()
    serviceDesk.start()
    vacuum.start()

    return {
      http,
      bus,
      revocations,
      dueWork,
      compaction,
      report: createStackReport({ db, bus, graph, compaction, webhooks, imports, live: attached, memory, admission }),
      webhooks,
      simulator,
      faults,
      serviceDesk,
      storage,
      clock,
      peopleChanged: () => publishChanges(bus, new Set(buildingIds.map((id) => `${id} people`))),
      listen: () => listen(http, config.listen),
      accept: (socket) => acceptUpgrade(http.server, socket),
      directIngest,
      close: () => lifecycle.close(),
    }
  } catch (err) {
    await lifecycle.close()
    throw err
  }
}

/** The database has the schema of another version of the program. A stack neither migrates it nor runs on it. */
export class SchemaMismatch extends Error {
  override name = 'SchemaMismatch'
  readonly state: 'behind' | 'ahead'
  readonly version: number
  constructor(state: 'behind' | 'ahead', version: number) {
    super(`the schema of the database is ${state}: migrate it, or update this program`)
    this.state = state
    this.version = version
  }
}

async function checkSchema(session: Tx): Promise<void> {
  const { state, version } = await compareSchema(session, readMigrations(MIGRATIONS_DIRECTORY))
  if (state !== 'same') throw new SchemaMismatch(state, version)
  if (await hasMigrationsKey(session)) return
  const incomplete = new Error('the database is incomplete, it is probably being restored')
  markUnreachable(incomplete)
  throw incomplete
}

/** Moves layer values and service requests from replaced nodes to their successors. */
function detachValuesAndRequests(clock: Clock): DetachData {
  return async (tx, successors) => {
    const attachValues = await detachValues(tx, successors)
    return async () => {
      await attachValues()
      await movePlaces(tx, successors, clock.now())
    }
  }
}

async function listen(http: HttpApp, at: ServeConfig['listen']): Promise<number> {
  await http.listen(at ?? { host: '127.0.0.1', port: 0 })
  return (http.server.address() as AddressInfo).port
}
