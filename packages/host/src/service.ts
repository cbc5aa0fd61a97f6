import { setTimeout as sleep } from 'node:timers/promises'
import { VERSION } from '@storey/contract'
import { createClientAddresses } from '@storey/kit/client-address'
import { systemClock } from '@storey/kit/clock'
import { createClockCheck } from '@storey/kit/clock-check'
import { openDatabase, readMigrations, serverTime, takeSessionLock } from '@storey/kit/database'
import { Lifecycle } from '@storey/kit/lifecycle'
import { createLog, type Log } from '@storey/kit/log'
import { createSteadyClock } from '@storey/kit/steady-clock'
import { openTracing } from '@storey/kit/tracing'
import { keepProgram, stackProgram } from '@storey/platform/program'
import { type ControlPlane, createControlPlane, type StackRuntime } from '@storey/provisioning'
import { openAccessLog } from './access-log/access-log.ts'
import { connectionLimits, descriptorLimit } from './connection-limits.ts'
import { planConnections } from './connection-plan.ts'
import { refuseCopiedControl } from './copied-control.ts'
import { type DataFolder, openDataFolder } from './data-folder.ts'
import { connectionBudget, openDatabaseServer } from './database-server.ts'
import { createDemo, type DemoDeveloper } from './demo.ts'
import { refuseIncompleteControl } from './incomplete-control.ts'
import { LEADER_LOCK, LEADER_NAME } from './leader.ts'
import { machineNames } from './machine-names.ts'
import { createMetrics } from './metrics/create-metrics.ts'
import { serveMetrics } from './metrics/serve-metrics.ts'
import { mqttAddress, mqttConfig } from './mqtt-config.ts'
import { openRuntime } from './open-runtime.ts'
import { checkPort, listen } from './port.ts'
import { openRealms } from './realms.ts'
import type { Settings } from './settings.ts'
import { sharedDomainWarning } from './shared-domain.ts'
import { STACK_MEMORY_MB } from './stack-memory.ts'
import { webFolders } from './web-folders.ts'

const FOLDER_CHECK_MS = 2_000
/**
 * Further host names of the control plane in development. Inside containers the last two names mean the host machine.
 */
const DEVELOPMENT_ALIASES = ['127.0.0.1', '[::1]', 'host.docker.internal', 'host.containers.internal']

export interface Service {
  address: string
  demo: DemoDeveloper | undefined
  /** The address of the MQTT broker, if MQTT is on. */
  mqtt: string | undefined
  folder: DataFolder
  close(): Promise<void>
  /** Whether `close` left a process running. */
  hasLeftRunning(): boolean
}

export interface StartOptions {
  /**
   * Ends the wait for the leader lock: the start then rejects. Once the lock is taken, the start is not interrupted.
   */
  signal?: AbortSignal
  /** Prints a message for the user. */
  print?(text: string): void
  /** Runs stacks in another way than the settings specify. */
  runtime?: StackRuntime & { close?(): void }
}

/** Opens all parts in the order of their dependencies, and closes them in reverse. */
export async function startService(
  settings: Settings,
  onFatal: (err: Error) => void,
  options: StartOptions = {},
): Promise<Service> {
  const log = createLog({
    level: settings.logLevel,
    form: settings.mode === 'production' ? 'json' : 'lines',
    name: 'storey',
  })
  const lifecycle = new Lifecycle(log)
  const tracing = await openTracing(settings.tracing, {
    resource: { 'service.name': settings.tracing?.serviceName ?? '' },
    onFailing: (reason) => log.warn({ reason }, 'traces not exported, dropping spans'),
    onRecovered: (dropped) => log.info({ dropped }, 'traces exported again'),
  })
  lifecycle.onClose('traces', () => tracing.close())
  try {
    return await open(settings, log, lifecycle, onFatal, options)
  } catch (err) {
    await lifecycle.close()
    throw err
  }
}

async function open(
  settings: Settings,
  log: Log,
  lifecycle: Lifecycle,
  onFatal: (err: Error) => void,
  { signal, print, runtime: given }: StartOptions,
): Promise<Service> {
  const { mode, host, port } = settings
  const warning = mode === 'production' ? sharedDomainWarning(settings.publicUrl, settings.baseDomain) : undefined
  if (warning !== undefined) log.warn(warning)
  await checkPort(port, host)
  const mqtt = mqttConfig(settings)
  if (mqtt?.kind === 'embedded') await checkPort(mqtt.port, host, 'MQTT_PORT')
  const folder = openDataFolder(settings.dataDir)
  folder.lock(settings.publicUrl)
  lifecycle.onClose('data folder', () => folder.unlock())
  const onLost = (err: Error) => onFatal(folder.isGone() ? folderDeleted(folder) : err)
  const folderCheck = setInterval(() => folder.isGone() && onFatal(folderDeleted(folder)), FOLDER_CHECK_MS).unref()
  lifecycle.onClose('data folder check', () => clearInterval(folderCheck))
  const masterSecret = folder.masterSecret(settings.masterSecret)

  const database = await openDatabaseServer({
    databaseUrl: settings.databaseUrl,
    folder,
    masterSecret,
    log,
    onLost,
  })
  lifecycle.onClose('PostgreSQL', () => database.stop(), 20_000)
  const budget = await connectionBudget(database.controlUrl, settings.databaseConnections, log)
  const isShared = given ? given.isShared === true : settings.kubernetes !== undefined
  const replicas = given?.replicas ?? settings.kubernetes?.replicas ?? 1
  const connections = planConnections(budget, { isShared, replicas })
  const control = openDatabase({
    url: database.controlUrl,
    log,
    applicationName: 'storey-control',
    maxConnections: connections.control,
    // The process only logs the replacement. If the process ended, a supervisor would start it again, and the new
    // process could migrate a database that is still being restored.
    onReplaced: () => log.error('control database replaced. Restart the service when the new database is complete'),
  })
  lifecycle.onClose('control database', () => control.close())

  // The build of the stacks is chosen before this process waits for the leader lock, so that its stacks run the same
  // version as this process even if a newer build appears during the wait.
  const program = stackProgram()
  keepProgram(program)
  const leader = await takeSessionLock({
    ...{ url: database.controlUrl, key: LEADER_LOCK, applicationName: LEADER_NAME, log, signal },
    isShared,
    onWait: () => print?.('Another Storey process uses this control database. Waiting to take over when it stops.'),
    onLost: () => onFatal(new Error('Another Storey process took over the control database. Shutting down.')),
  })
  lifecycle.onClose('leader lock', () => leader.release())
  await refuseIncompleteControl(control)
  await refuseCopiedControl({ control, controlUrl: database.controlUrl, leaderName: LEADER_NAME, log })

  const clientAddresses = createClientAddresses(settings.trustedProxies)
  const clock = createSteadyClock({ log })
  const clockCheck = createClockCheck({ clock: systemClock, serverTime: () => serverTime(control), log })
  const demo = mode === 'development' ? createDemo(folder) : undefined
  const realms = await openRealms(settings, {
    ...{ control, masterSecret, clock, clockCheck, log },
    clientAddresses,
    ...(demo ? { demo: demo.hint } : {}),
  })
  if (realms.identity) lifecycle.onClose('identity', () => realms.identity!.close())

  const metrics = createMetrics()
  const accessLog = settings.accessLog && openAccessLog(settings.accessLog, log)
  if (accessLog) lifecycle.onClose('access log', () => accessLog.close())

  const web = webFolders(log)
  const runtime =
    given ?? (await openRuntime({ settings, program, folder, masterSecret, memoryLimitMb: STACK_MEMORY_MB, log }))
  lifecycle.onClose('stack runtime', async () => runtime.close?.())
  const controlPlane = await createControlPlane(
    {
      publicUrl: settings.publicUrl,
      baseDomain: settings.baseDomain,
      aliases: mode === 'development' ? DEVELOPMENT_ALIASES : [],
      machineNames: mode === 'development' ? machineNames() : [],
      hasPathAddresses: settings.pathAddresses === 'on',
      healthCheckRanges: settings.healthCheckRanges,
      masterSecret,
      serverUrl: database.controlUrl,
      developersIssuer: realms.developersIssuer,
      ...(realms.developersAudience === undefined ? {} : { developersAudience: realms.developersAudience }),
      developersClaims: realms.developersClaims,
      signIn: realms.signIn,
      rateLimitPerMinute: settings.provisioningRateLimitPerMinute,
      connectionLimits: connectionLimits(settings, descriptorLimit(), log),
      maxActiveSandboxes: settings.maxActiveSandboxes,
      stackIdleMs: settings.stackIdleMs,
      stackConnections: connections.stacks,
      tenantServers: settings.tenantServers,
      ...(settings.databaseConnections === undefined ? {} : { serverConnections: settings.databaseConnections }),
      maxAwakeStacks: settings.maxAwakeStacks,
      provisionConcurrency: 2,
      expiryGraceMs: settings.expiryGraceMs,
      ...(web ? { web } : {}),
      ...(mqtt ? { mqtt } : {}),
      stack: {
        logLevel: settings.logLevel,
        logForm: mode === 'production' ? 'json' : 'lines',
        spacesPageCap: settings.spacesPageCap,
        mode: settings.mode,
        corsOrigins: [...settings.corsOrigins],
        moduleRoute: settings.shellModuleRoute,
        ...(settings.natsUrls.length > 0 ? { natsUrls: settings.natsUrls.map(({ href }) => href) } : {}),
        sandboxesIssuer: realms.sandboxesIssuer,
        ...(realms.sandboxesAudience === undefined ? {} : { sandboxesAudience: realms.sandboxesAudience }),
        sandboxesClaims: { ...realms.sandboxesClaims },
        rateLimitPerMinute: settings.rateLimitPerMinute,
        sandboxRateLimitPerMinute: settings.sandboxRateLimitPerMinute,
        memoryLimitMb: STACK_MEMORY_MB,
        storageLimitMb: settings.sandboxStorageMb,
        webhookRanges: { allowed: [...settings.webhookAllowedRanges], denied: [...settings.webhookDeniedRanges] },
      },
    },
    {
      control,
      tenantMigrations: readMigrations(program.migrations),
      runtime,
      clock,
      clockCheck,
      // With a shared runtime the leader lock is a shared lock, which several processes hold. A lease decides which of
      // them leads.
      ...(runtime.isShared ? {} : { isLeader: leader.isHeld }),
      log,
      clientAddresses,
      observers: [...(settings.metricsPort === 0 ? [] : [metrics.requests]), ...(accessLog ? [accessLog] : [])],
      observer: metrics.events,
      ...(realms.directory ? { directory: realms.directory } : {}),
      ...(realms.identity ? { handleRealms: realms.identity.handle } : {}),
    },
  )
  lifecycle.onClose('control plane', () => controlPlane.close(), 25_000)
  const demoDeveloper = await demo?.open(controlPlane, realms)

  const served = await serveMetrics({
    ...{ metrics, controlPlane, settings, log },
    accessLogDropped: () => accessLog?.dropped() ?? 0,
  })
  lifecycle.onClose('metrics', () => served.close())
  await listen(controlPlane.server, port, host)
  if (controlPlane.mqtt?.server) await listen(controlPlane.mqtt.server, settings.mqttPort, host, 'MQTT_PORT')
  controlPlane.mqtt?.start()
  controlPlane.start()
  runtime.prepare?.()
  // The shutdown runs its steps in reverse order, so the step that has to run first is registered last.
  const { shutdownDelayMs } = settings
  if (shutdownDelayMs > 0)
    lifecycle.onClose('drain', () => drain(controlPlane, shutdownDelayMs, log), 2 * shutdownDelayMs)
  log.debug({ version: VERSION }, 'started')
  return {
    address: settings.publicUrl.origin,
    demo: demoDeveloper,
    mqtt: mqttAddress(mqtt),
    folder,
    close: () => lifecycle.close(),
    hasLeftRunning: () => lifecycle.hasLeftRunning,
  }
}

/** Reports the service as not ready and waits, so that load balancers notice it while every request is still served. */
async function drain(controlPlane: ControlPlane, delayMs: number, log: Log): Promise<void> {
  log.info({ delayMs }, 'not ready, stopping after the delay')
  await controlPlane.drain()
  await sleep(delayMs)
}

const folderDeleted = ({ path }: DataFolder) =>
  new Error(`The data folder ${path} was deleted while Storey was running. Start Storey again to create a new one.`)
