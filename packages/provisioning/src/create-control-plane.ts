import { randomBytes } from 'node:crypto'
import { type AccountAction, problems } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
import { createClientAddresses, directAddresses } from '@storey/kit/client-address'
import { createVacuum, migrate, readMigrations, serverTime, type Tx } from '@storey/kit/database'
import { Lifecycle } from '@storey/kit/lifecycle'
import type { Log } from '@storey/kit/log'
import { deriveSigningKey } from '@storey/kit/secrets'
import { createRealmVerifier, createTokenSigner, type TokenVerifier } from '@storey/kit/tokens'
import { createAddresses } from './addresses.ts'
import { createAuthorization } from './authorization.ts'
import { createControlFigures } from './control-figures.ts'
import { createControlHttp } from './control-http.ts'
import type { ControlPlane, ControlPlaneConfig, ControlPlaneParts } from './control-plane.ts'
import { createAccountNotices, keepSandbox, recordAccountChange } from './features/accounts/index.ts'
import { createAudit, recordChange } from './features/audit/index.ts'
import { createAuthenticate, markKeysUsed } from './features/keys/index.ts'
import { createOperatorLoop } from './features/operator/index.ts'
import { createOrganizations } from './features/organizations/index.ts'
import { createPeopleHttp } from './features/people/index.ts'
import { countMigrations, listTenants, ownTenant, sandboxToken } from './features/sandboxes/index.ts'
import {
  CONNECTION_LIMITS,
  createCallers,
  createCors,
  createCredentialCheck,
  createGateway,
  createSandboxCache,
  limitRealms,
  openWebApps,
  RESPONSE_TIMEOUT_MS,
} from './gateway/index.ts'
import { installationTag, trustedTime } from './installation.store.ts'
import { deriveInternalKey } from './internal-key.ts'
import { CONTROL_MIGRATIONS } from './migrations.ts'
import { undoAbandonedMoves } from './move/index.ts'
import { createMqtt } from './mqtt/index.ts'
import { createPlanes, type Planes } from './planes/index.ts'
import { createMigrationSchedule, createReconciler, skipAbsence } from './reconciler/index.ts'
import { EMBEDDED_SIGN_IN } from './sign-in-settings.ts'
import { createStackPool, createWaker, endRun, remoteStartQueue, type StackPool } from './stacks/index.ts'
import { createStackStart } from './start-stack.ts'
import { openTenantServers, type TenantServers } from './tenants/index.ts'

export async function createControlPlane(config: ControlPlaneConfig, parts: ControlPlaneParts): Promise<ControlPlane> {
  const { control, runtime, clock, clockCheck, log, directory, clientAddresses = directAddresses } = parts
  const migrations = parts.tenantMigrations
  const planes: Planes | undefined = runtime.isShared
    ? createPlanes({
        ...{ control, url: config.serverUrl, log },
        ...(config.planeTimes ? { times: config.planeTimes } : {}),
        onChanged: (slug) => applyChange(slug),
        onWork: () => reconciler.wake(),
        onMqttClient: (clientId, isOwn) => (isOwn ? mqtt?.clientAnnounced(clientId) : mqtt?.clientMoved(clientId)),
        onGained() {
          migrationSchedule.leads()
          reconciler.wake()
          waker.wake()
          operator.wake()
        },
      })
    : undefined
  const isLeader = () => planes?.isLeader() ?? parts.isLeader?.() ?? true
  const fence = planes && { fence: planes.fence }
  const lifecycle = new Lifecycle(log)
  let isDraining = false
  if (planes) lifecycle.onClose('control planes', () => planes.close())
  await control.session((session) => migrate(session, readMigrations(CONTROL_MIGRATIONS), { log }))
  const addresses = createAddresses(config)
  const signer = await createTokenSigner(addresses.publicUrl, deriveSigningKey(config.masterSecret, 'sandbox-token'))
  const tag = await installationTag(control)
  const trusted = trustedTime(control)
  const lastTrusted = await trusted.read()
  clock.checkStart?.(lastTrusted)
  if (lastTrusted) await skipAbsence(control, lastTrusted, clock.now())
  await clockCheck.continueFrom(trusted)
  const servers = await openTenantServers({
    control,
    serverUrl: config.serverUrl,
    entries: config.tenantServers ?? [],
    connections: config.serverConnections,
    ...(config.stackConnections === undefined ? {} : { controlStackConnections: config.stackConnections }),
    masterSecret: config.masterSecret,
    installationTag: tag,
    migrations,
    log,
    prepare: true,
    isLeader,
    isServiceRunning: async () => true,
  })
  lifecycle.onClose('database servers', () => servers.close())
  const migrationSchedule = createMigrationSchedule({ control, migrations, isLeader, ...fence })
  await migrationSchedule.run()
  const sandboxCache = createSandboxCache({ control })
  const internalKeyOf = (sandboxId: string) => deriveInternalKey(config.masterSecret, sandboxId)

  const { sandboxesIssuer: issuer, sandboxesClaims } = config.stack
  const signIn = config.signIn ?? EMBEDDED_SIGN_IN
  const web =
    config.web &&
    openWebApps({
      folders: config.web,
      addresses,
      developersIssuer: config.developersIssuer,
      sandboxesIssuer: issuer,
      signIn,
      claims: { developers: config.developersClaims, sandboxes: sandboxesClaims },
      moduleRoute: config.stack.moduleRoute,
      maxActiveSandboxes: config.maxActiveSandboxes,
    })
  const local = createStackPool({
    idleMs: config.stackIdleMs,
    ...(config.stackBackoff ? { backoff: config.stackBackoff } : {}),
    bounds: {
      connectionsOf: servers.connectionsOf,
      maxStacks: config.maxAwakeStacks ?? 0,
      ...(runtime.replicas === undefined ? {} : { replicas: runtime.replicas }),
    },
    clock,
    log,
    stop: (sandboxId) => runtime.stop(sandboxId),
    send: (sandboxId, command) => runtime.send(sandboxId, command),
    keepDue: (sandboxId, dueAt) => endRun(control, sandboxId, dueAt),
    onStopped: () => waker.wake(),
    ...(planes ? { shared: planes.sharedUse } : {}),
    ...(runtime.maxStarting === undefined ? {} : { startQueue: remoteStartQueue(runtime.maxStarting) }),
    observer: parts.observer,
    start: createStackStart({
      control,
      runtime,
      clock,
      log,
      config,
      addresses,
      signer,
      servers,
      internalKeyOf,
      serviceRun: randomBytes(4).toString('hex'),
      schemaVersion: migrations.length,
      ...fence,
      prioritizeMigration: (sandboxId) => reconciler.prioritizeMigration(sandboxId),
      onChange: (slug) => changed(slug),
    }),
  })
  const stacks: StackPool = planes?.share(local, runtime) ?? local
  lifecycle.onClose('stacks', () => stacks.close(), 12_000)
  const waker = createWaker({
    control,
    clock,
    log,
    stacks,
    isLeader,
    ...(runtime.maxStarting === undefined ? {} : { atATime: runtime.maxStarting }),
    ...(config.tickMs === undefined ? {} : { everyMs: config.tickMs }),
  })
  lifecycle.onClose('waker', () => waker.stop())

  const mqtt =
    config.mqtt &&
    (await createMqtt(config.mqtt, {
      control,
      clock,
      clientAddresses,
      sandboxCache,
      stacks,
      masterSecret: config.masterSecret,
      hostname: config.publicUrl.hostname,
      installationTag: tag,
      tokenOf: (row) => sandboxToken(signer, row),
      internalKeyOf,
      responseTimeoutMs: config.stackResponseTimeoutMs ?? RESPONSE_TIMEOUT_MS,
      retryLimitMs: config.mqttRetryLimitMs,
      pauseMs: config.mqttPauseMs,
      deadLetterAfterMs: config.deadLetterAfterMs,
      isLeader,
      planes: planes && {
        id: planes.id,
        readers: planes.readers,
        announceClient: (clientId) => void planes.send({ type: 'mqtt-client', clientId }),
      },
      log,
    }))
  if (mqtt) lifecycle.onClose('mqtt', () => mqtt.close(), 8_000)
  /** Handles a change that a control plane made to a sandbox. Without a slug, any sandbox may have changed. */
  function applyChange(slug: string | undefined): void {
    if (slug === undefined) sandboxCache.invalidateAll()
    else sandboxCache.invalidate(slug)
    mqtt?.changed(slug)
  }
  const changed = (slug: string) => {
    applyChange(slug)
    void planes?.send({ type: 'changed', slug })
  }

  const reconciler = createReconciler({
    control,
    servers,
    migrations,
    runtime,
    clockCheck,
    isLeader,
    ...fence,
    scheduleMigrations: migrationSchedule.run,
    ...(planes ? { isShared: true, notifyWork: () => void planes.send({ type: 'work' }) } : {}),
    expiryGraceMs: config.expiryGraceMs,
    log,
    stackLog: config.stack,
    internalKeyOf,
    directory,
    observer: parts.observer,
    stopStack: (sandboxId) => stacks.stop(sandboxId),
    onChange: changed,
    concurrency: config.provisionConcurrency,
    ...(config.tickMs === undefined ? {} : { tickMs: config.tickMs }),
  })
  lifecycle.onClose('reconciler', () => reconciler.close(), 10_000)

  const operator = createOperatorLoop({
    ...{ control, stacks, runtime, isLeader, onChange: changed, log },
    undoAbandonedMoves: (moving) => undoAbandonedMoves({ control, servers, log, onChange: changed }, moving),
    ...(config.tickMs === undefined ? {} : { everyMs: config.tickMs }),
  })
  lifecycle.onClose('operator', () => operator.stop())

  const openTenants = createLoop({
    name: 'open-tenants',
    log,
    async run() {
      const all = await listTenants(control)
      await directory?.openTenants?.(all.map(({ organizationId: tenantId, slug }) => ({ tenantId, slug })))
    },
  })
  lifecycle.onClose('open tenants', () => openTenants.stop())

  const vacuum = createVacuum({ db: control, log, mayRun: isLeader })
  lifecycle.onClose('vacuum', () => vacuum.close())

  const audit = createAudit({ control, clock, clockCheck, log, isLeader, markUsed: markKeysUsed })
  lifecycle.onClose('audit', () => audit.close())
  const { portalClientId } = signIn
  const authenticate = createAuthenticate({
    ...{ control, clock, portalClientId, developers: developersVerifier(config, log) },
  })
  const callers = createCallers(clientAddresses)
  const accountNotices = createAccountNotices({ control, stacks, issuer, clock, log })
  lifecycle.onClose('account notices', accountNotices.close)
  const app = await createControlHttp({
    http: {
      url: addresses.publicUrl,
      ...(config.developersIssuer === undefined ? {} : { signInOrigin: new URL(config.developersIssuer).origin }),
      log,
      rateLimit: { perMinute: config.rateLimitPerMinute, clock },
      authorize: createAuthorization(authenticate, audit),
      onSignedIn: ({ raw }) => callers.add(raw),
      async checkReady() {
        if (isDraining) throw problems.notReady('The service is stopping', 2)
        return {
          migrations: await countMigrations(control),
          ...unavailableServers(servers),
          ...serversOfOthers(servers),
        }
      },
      callerOf: ({ caller }) => ({ kind: caller.kind, id: caller.keyId ?? caller.developerId }),
      clientAddresses,
    },
    sandboxes: {
      control,
      clock,
      serverTime: parts.serverTime ?? (() => serverTime(control)),
      addresses,
      signer,
      stacks,
      sandboxCache: { invalidate: changed },
      ownerSession:
        directory?.ownerSession &&
        (async ({ origin, ...owner }) => {
          const record = (action: AccountAction) => recordAccountChange(clock, action, origin)
          const check = (tx: Tx) => keepSandbox(tx, origin.sandbox.id)
          const { revokedAccountId, ...link } = await directory.ownerSession!({ ...owner, record, check })
          if (revokedAccountId !== undefined) await accountNotices.changed(origin.sandbox.id, revokedAccountId)
          return link
        }),
      mqttOf: (row) => mqtt?.connectionOf(row) ?? null,
      reconciler,
      maxActive: config.maxActiveSandboxes,
      shellDeployed: web !== undefined,
      storageLimitMb: config.stack.storageLimitMb,
      ...(config.removalLimitMs === undefined ? {} : { removalLimitMs: config.removalLimitMs }),
    },
    accounts: {
      directory,
      clock,
      tenantOf: (sandboxId, { developerId }) => ownTenant(control, sandboxId, developerId),
      onChanged: accountNotices.changed,
    },
    keys: { control, clock, recordChange },
    serveAudit: (app) => audit.serve(app),
  })
  await app.ready()
  lifecycle.onClose('provisioning API', () => app.close())

  const people = await createPeopleHttp({
    http: {
      log,
      rateLimit: { perMinute: config.stack.rateLimitPerMinute, clock },
      onSignedIn: ({ raw }) => callers.add(raw),
      clientAddresses,
    },
    trust: {
      ...{ control, clock, log, directory, publicKey: signer.publicKey, sandboxesIssuer: issuer },
      sandboxesAudience: config.stack.sandboxesAudience,
      sandboxesClaims,
      ownAudiences: [addresses.publicUrl, signer.issuer, issuer ?? ''],
    },
    routes: {
      ...{ control, clock, directory },
      onChanged: accountNotices.changed,
    },
  })
  lifecycle.onClose('people', () => people.close())

  const handleRealms = limitRealms(parts.handleRealms ?? (() => false), {
    perMinute: config.rateLimitPerMinute,
    clock,
    clientAddresses,
  })
  const gateway = createGateway({
    addresses,
    cors: createCors({ origins: config.stack.corsOrigins, allowLoopback: config.stack.mode === 'development' }),
    clientAddresses,
    isHealthChecker: createClientAddresses(config.healthCheckRanges ?? []).isTrustedProxy,
    sandboxCache,
    stacks,
    log,
    callers,
    checkCredential: createCredentialCheck({
      ...{ publicKey: signer.publicKey, sandboxesIssuer: issuer, sandboxesClaims, clock, log },
    }),
    limits: config.connectionLimits ?? CONNECTION_LIMITS,
    ...(config.stackResponseTimeoutMs === undefined ? {} : { responseTimeoutMs: config.stackResponseTimeoutMs }),
    ...(parts.observers ? { observers: parts.observers } : {}),
    controlPlane: (req, res) => handleRealms(req, res) || app.routing(req, res),
    people,
    web,
  })
  lifecycle.onClose('gateway', gateway.close)
  // The part that was added last is closed first, so another control plane can lead while this one completes requests.
  if (planes) lifecycle.onClose('leadership', () => planes.resign())

  return {
    server: gateway.server,
    organizations: createOrganizations({ control, clock }),
    reconciler,
    start() {
      servers.start()
      planes?.start()
      reconciler.start()
      operator.start()
      waker.start()
      vacuum.start()
      if (directory?.openTenants) openTenants.wake()
    },
    async drain() {
      isDraining = true
      gateway.drain()
      await planes?.resign()
    },
    mqtt,
    counts: createControlFigures({ control, clock, clockCheck, runtime, stacks, mqtt, servers }),
    close: () => lifecycle.close(),
  }
}

/** The ids of the servers that do not answer. Only the sandboxes of these servers are unavailable. */
function unavailableServers(servers: TenantServers): { databaseServersUnavailable?: string[] } {
  const down = servers.list().filter(({ isUp }) => !isUp)
  return down.length === 0 ? {} : { databaseServersUnavailable: down.map(({ id }) => id ?? 'unknown') }
}

/** The ids of the servers on which nothing is created or dropped, because another control database uses them. */
function serversOfOthers(servers: TenantServers): { databaseServersOfOthers?: string[] } {
  const ids = servers.list().flatMap(({ id, refusal }) => (refusal === undefined ? [] : (id ?? [])))
  return ids.length === 0 ? {} : { databaseServersOfOthers: ids }
}

function developersVerifier(config: ControlPlaneConfig, log: Log): TokenVerifier | undefined {
  const { developersIssuer: issuer, developersAudience: required, developersClaims: claims, publicUrl } = config
  if (issuer === undefined) return undefined
  const audience = required === undefined ? { own: [publicUrl.origin, issuer] } : { required }
  return createRealmVerifier(issuer, undefined, { audience, log, ...(claims ? { claims } : {}) })
}
