import { accessSync, constants } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { LIMITS } from '@storey/contract'
import { type AddressRange, parseRange } from '@storey/kit/client-address'
import { type Environment, SettingsReader } from '@storey/kit/config'
import { LOG_LEVELS, type LogLevel } from '@storey/kit/log'
import { readTracing, type TracingSettings } from '@storey/kit/tracing'
import type { ServerEntry } from '@storey/provisioning'
import { type IdentitySettings, readIdentitySettings } from './identity-settings.ts'
import { type KubernetesSettings, readKubernetesSettings } from './kubernetes-settings.ts'
import { stackEnvironment } from './stack-environment.ts'
import { readTenantServers } from './tenant-server-settings.ts'

export interface Settings extends IdentitySettings {
  mode: 'development' | 'production'
  host: string
  port: number
  publicUrl: URL
  baseDomain: string
  /** Proxies whose forwarding headers are trusted. */
  trustedProxies: readonly AddressRange[]
  dataDir: string
  /** May be absent in development: a secret is then generated and stored in the data folder. */
  masterSecret: string | undefined
  /** If absent, the service starts an embedded PostgreSQL. */
  databaseUrl: URL | undefined
  /** The servers for databases of sandboxes; empty: the server of the control database. */
  tenantServers: readonly ServerEntry[]
  /** The maximum number of HTTP connections, in total and per client address. */
  maxConnections: number
  maxConnectionsPerAddress: number
  rateLimitPerMinute: number
  /** The rate limit of all callers of a sandbox together. */
  sandboxRateLimitPerMinute: number
  provisioningRateLimitPerMinute: number
  /** The storage limit of a sandbox; 0: no limit. */
  sandboxStorageMb: number
  maxActiveSandboxes: number
  /** How long an expired sandbox can be restored; 0: it is removed immediately. */
  expiryGraceMs: number
  stackIdleMs: number
  /** How long the service reports that it is not ready, but still serves requests, before it stops. */
  shutdownDelayMs: number
  /** How many spare processes wait for a sandbox that wakes. */
  spareStacks: number
  /** The maximum number of running stacks; 0: limited by database connections only. */
  maxAwakeStacks: number
  /** The number of connections that the service may use on each PostgreSQL server; absent: the server's limit. */
  databaseConnections: number | undefined
  /** How stacks run in a cluster; undefined: as processes of this machine. */
  kubernetes: KubernetesSettings | undefined
  /** Environment variables that stacks inherit. */
  stackEnvironment: Readonly<Record<string, string>>
  spacesPageCap: number
  /** With `off`, the shell has no route that loads a module by its slug. */
  shellModuleRoute: 'on' | 'off'
  /** Additional origins whose pages may call the API of sandboxes and use the live channel. */
  corsOrigins: readonly string[]
  pathAddresses: 'on' | 'off'
  /** The servers of a NATS cluster; empty: events stay in the process of each stack. */
  natsUrls: readonly URL[]
  /** Private networks that webhooks may be sent to. */
  webhookAllowedRanges: readonly string[]
  /** Networks that webhooks must not be sent to. */
  webhookDeniedRanges: readonly string[]
  metricsPort: number
  /** The address on which metrics are served; by default loopback. */
  metricsHost: string
  /** Where each request is logged; undefined: nowhere. */
  accessLog: 'stdout' | { file: string } | undefined
  /** Addresses of load balancers and kubelets, whose health checks are answered with any Host header. */
  healthCheckRanges: readonly AddressRange[]
  mqttEnabled: boolean
  /** If absent, and MQTT is enabled, the service runs the embedded broker. */
  mqttUrl: URL | undefined
  mqttUsername: string | undefined
  mqttPassword: string | undefined
  mqttPort: number
  /** The broker's address for clients, if a proxy is in front of it. */
  mqttPublicUrl: URL | undefined
  logLevel: LogLevel
  /** Where spans are sent; absent: traces are off. */
  tracing: TracingSettings | undefined
}

const MIN_SECRET_LENGTH = 32
/**
 * A host name has at most 253 characters, and a sandbox puts up to 64 of them (its own label and a dot) before the
 * domain.
 */
const MAX_DOMAIN_LENGTH = 189

/** Reads all settings of the service. docs/operations.md lists them. */
export function readSettings(environment: Environment): Readonly<Settings> {
  const read = new SettingsReader(environment)
  const mode = read.choice('MODE', ['development', 'production'], 'development')
  const port = read.integer('PORT', 4000, { min: 1, max: 65_535 })
  const masterSecret = read.text('MASTER_SECRET')
  if (masterSecret === undefined && mode === 'production') {
    read.addError('MASTER_SECRET', `is required in production: at least ${MIN_SECRET_LENGTH} random characters`)
  }
  if (masterSecret !== undefined && masterSecret.length < MIN_SECRET_LENGTH) {
    read.addError('MASTER_SECRET', `must have at least ${MIN_SECRET_LENGTH} characters`)
  }
  const baseDomain = (read.text('BASE_DOMAIN') ?? 'localhost').toLowerCase()
  if (!isDomain(baseDomain)) read.addError('BASE_DOMAIN', 'must be a domain name', baseDomain)
  const publicUrl = read.url('PUBLIC_URL', ['http:', 'https:']) ?? new URL(`http://localhost:${port}`)
  if (publicUrl.href !== `${publicUrl.origin}/`) {
    read.addError('PUBLIC_URL', 'must have no credentials, path, query or fragment')
  }
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY']) {
    for (const variable of [name, name.toLowerCase()]) read.url(variable, ['http:', 'https:'])
  }
  const certificates = read.text('NODE_EXTRA_CA_CERTS')
  if (certificates !== undefined && !isReadable(certificates)) {
    read.addError('NODE_EXTRA_CA_CERTS', 'must be a file that can be read', certificates)
  }
  const metricsPort = read.integer('METRICS_PORT', 9464, { min: 0, max: 65_535 })
  if (metricsPort === port) read.addError('METRICS_PORT', 'must differ from PORT')
  const mqttEnabled = read.flag('MQTT_ENABLED', false)
  const mqttUrl = read.url('MQTT_URL', ['mqtt:', 'mqtts:'])
  if (mqttUrl && (mqttUrl.username !== '' || mqttUrl.password !== '')) {
    read.addError('MQTT_URL', 'must have no credentials: set MQTT_USERNAME and MQTT_PASSWORD')
  }
  const mqttPublicUrl = read.url('MQTT_PUBLIC_URL', ['mqtt:', 'mqtts:'])
  if (mqttPublicUrl && !/^mqtts?:\/\/[^/?#@]+\/?$/.test(mqttPublicUrl.href)) {
    read.addError('MQTT_PUBLIC_URL', 'must have a host, and no credentials, path, query or fragment')
  }
  const mqttPort = read.integer('MQTT_PORT', 1883, { min: 1, max: 65_535 })
  if (mqttEnabled && !mqttUrl && (mqttPort === port || mqttPort === metricsPort)) {
    read.addError('MQTT_PORT', 'must differ from PORT and METRICS_PORT')
  }
  const databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:'])
  const stackRuntime = read.choice('STACK_RUNTIME', ['process', 'kubernetes'], 'process')
  if (stackRuntime === 'kubernetes' && read.text('DATABASE_URL') === undefined)
    read.addError(
      'DATABASE_URL',
      'is required with STACK_RUNTIME=kubernetes: pods cannot reach the embedded PostgreSQL',
    )
  return read.finish({
    mode,
    host: read.text('HOST') ?? '127.0.0.1',
    port,
    publicUrl,
    baseDomain,
    trustedProxies: ranges(read, 'TRUSTED_PROXIES'),
    dataDir: resolve(read.text('DATA_DIR') ?? '.data'),
    masterSecret,
    databaseUrl,
    tenantServers: readTenantServers(read),
    ...readIdentitySettings(read),
    maxConnections: read.integer('MAX_CONNECTIONS', 4_000, { min: 16, max: 1_000_000 }),
    maxConnectionsPerAddress: read.integer('MAX_CONNECTIONS_PER_ADDRESS', 400, { min: 8, max: 1_000_000 }),
    rateLimitPerMinute: read.integer('RATE_LIMIT_PER_MINUTE', LIMITS.rateLimitPerMinute, { min: 0, max: 1_000_000 }),
    sandboxRateLimitPerMinute: read.integer('SANDBOX_RATE_LIMIT_PER_MINUTE', 1000, { min: 0, max: 1_000_000 }),
    provisioningRateLimitPerMinute: read.integer('PROVISIONING_RATE_LIMIT_PER_MINUTE', 600, { min: 0, max: 1_000_000 }),
    sandboxStorageMb: read.integer('SANDBOX_STORAGE_MB', 4096, { min: 0, max: 1_000_000_000 }),
    maxActiveSandboxes: read.integer('MAX_ACTIVE_SANDBOXES', LIMITS.sandbox.maxActive, { min: 0, max: 10_000 }),
    expiryGraceMs: read.integer('EXPIRY_GRACE_HOURS', 24, { min: 0, max: 8_760 }) * 3_600_000,
    stackIdleMs: read.integer('STACK_IDLE_MINUTES', 30, { min: 0, max: 100_000 }) * 60_000,
    shutdownDelayMs: read.integer('SHUTDOWN_DELAY_SECONDS', 0, { min: 0, max: 300 }) * 1_000,
    spareStacks: read.integer('SPARE_STACKS', 1, { min: 0, max: 16 }),
    stackEnvironment: stackEnvironment(environment),
    maxAwakeStacks: read.integer('MAX_AWAKE_STACKS', 0, { min: 0, max: 100_000 }),
    databaseConnections: read.integer('DATABASE_CONNECTIONS', 0, { min: 0, max: 100_000 }) || undefined,
    kubernetes: stackRuntime === 'kubernetes' ? readKubernetesSettings(read) : undefined,
    spacesPageCap: read.integer('SPACES_PAGE_CAP', LIMITS.graphPageMax, { min: 1, max: LIMITS.graphPageMax }),
    shellModuleRoute: read.choice('SHELL_MODULE_ROUTE', ['on', 'off'], 'on'),
    corsOrigins: origins(read),
    pathAddresses: read.choice('PATH_ADDRESSES', ['on', 'off'], mode === 'production' ? 'off' : 'on'),
    natsUrls: natsServers(read),
    webhookAllowedRanges: rangeTexts(read, 'WEBHOOK_ALLOWED_RANGES'),
    webhookDeniedRanges: rangeTexts(read, 'WEBHOOK_DENIED_RANGES'),
    metricsPort,
    metricsHost: read.text('METRICS_HOST') ?? '127.0.0.1',
    accessLog: accessLog(read),
    healthCheckRanges: ranges(read, 'HEALTH_CHECK_RANGES'),
    mqttEnabled,
    mqttUrl,
    mqttUsername: read.text('MQTT_USERNAME'),
    mqttPassword: read.text('MQTT_PASSWORD'),
    mqttPort,
    mqttPublicUrl,
    logLevel: read.choice('LOG_LEVEL', LOG_LEVELS, 'info'),
    tracing: readTracing(read),
  })
}

/** The name must also be valid with the label of a sandbox in front: an IP address, for example, has no subdomains. */
function isDomain(name: string): boolean {
  const isLabel = (label: string) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label) && label.length <= 63
  return name.length <= MAX_DOMAIN_LENGTH && name.split('.').every(isLabel) && URL.canParse(`http://sandbox.${name}`)
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/**
 * The URLs of the servers of a cluster. All must have the scheme of the first URL, and its credentials or none, because
 * connections to all servers use the scheme and the credentials of the first URL.
 */
function natsServers(read: SettingsReader): URL[] {
  const urls = read.urls('NATS_URL', ['nats:', 'tls:'])
  const [first] = urls
  for (const url of urls.slice(1)) {
    const isSame = url.username === first!.username && url.password === first!.password
    if (url.protocol !== first!.protocol || !(isSame || (url.username === '' && url.password === '')))
      read.addError(
        'NATS_URL',
        'must have the same scheme and credentials in every URL, or credentials in the first only',
      )
  }
  return urls
}

function accessLog(read: SettingsReader): Settings['accessLog'] {
  const target = read.text('ACCESS_LOG') ?? 'off'
  if (target === 'off') return undefined
  if (target === 'stdout') return 'stdout'
  if (!isAbsolute(target)) read.addError('ACCESS_LOG', 'must be off, stdout or the absolute path of a file', target)
  return { file: target }
}

/** Addresses and ranges, IPv4 and IPv6. */
function ranges(read: SettingsReader, name: string): AddressRange[] {
  return read.list(name).flatMap((text) => {
    const range = parseRange(text)
    if (!range) read.addError(name, 'must be addresses and ranges such as 10.0.0.0/8 or 2001:db8::1', text)
    return range ?? []
  })
}

/** Checks ranges and returns them as text, for stacks. */
function rangeTexts(read: SettingsReader, name: string): string[] {
  ranges(read, name)
  return read.list(name)
}

/** Read before all other settings, so that errors in them are printed in the right log format. */
export const isProduction = (environment: Environment): boolean => environment.MODE?.trim() === 'production'

/** The list of origins, in the form of the Origin header. */
function origins(read: SettingsReader): string[] {
  const list = read.list('CORS_ORIGINS')
  for (const origin of list) {
    const isOrigin = /^https?:/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin
    if (!isOrigin) read.addError('CORS_ORIGINS', 'must be origins such as https://app.example.com', origin)
  }
  return list
}
