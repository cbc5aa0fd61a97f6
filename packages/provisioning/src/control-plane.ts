import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { ClaimNames, ServeConfig } from '@storey/contract'
import type { AddressRange, ClientAddresses } from '@storey/kit/client-address'
import type { Clock } from '@storey/kit/clock'
import type { ClockCheck } from '@storey/kit/clock-check'
import type { Database, Migration } from '@storey/kit/database'
import type { HttpObserver } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import type { SteadyClock } from '@storey/kit/steady-clock'
import type { ControlFigures } from './control-figures.ts'
import type { Directory } from './features/accounts/index.ts'
import type { Organizations } from './features/organizations/index.ts'
import type { ConnectionLimits, WebFolders } from './gateway/index.ts'
import type { Mqtt, MqttConfig } from './mqtt/index.ts'
import type { PlaneTimes } from './planes/index.ts'
import type { CreationObserver, Reconciler } from './reconciler/index.ts'
import type { SignInSettings } from './sign-in-settings.ts'
import type { Backoff, StackObserver, StackRuntime } from './stacks/index.ts'
import type { ServerEntry } from './tenants/index.ts'

export interface ControlPlaneConfig {
  publicUrl: URL
  baseDomain: string
  aliases: readonly string[]
  machineNames?: readonly string[]
  hasPathAddresses?: boolean
  /**
   * Client addresses whose health checks are answered whatever their Host header is. Health checks of trusted proxies
   * are always answered.
   */
  healthCheckRanges?: readonly AddressRange[]
  masterSecret: string
  /** The issuer of developers' access tokens; undefined: only API keys are accepted. */
  developersIssuer: string | undefined
  /** The required `aud` of the issuer's tokens. Absent for an external provider without a configured audience. */
  developersAudience?: string
  /** Claims that have other names in tokens of this issuer than in those of the embedded realm. */
  developersClaims?: ClaimNames
  /** How the web apps and the command-line tool sign in; absent: as at the embedded provider. */
  signIn?: SignInSettings
  /** The address of the control database, with a user who may create databases and roles. */
  serverUrl: string
  maxActiveSandboxes: number
  stackIdleMs: number
  /**
   * The maximum number of connections of all stacks together to the server of the control database; absent: no limit.
   */
  stackConnections?: number
  /** The servers for databases of sandboxes; empty or absent: that of the control database. */
  tenantServers?: readonly ServerEntry[]
  /** How many connections the service may open on each of the `tenantServers`; absent: as many as the server allows. */
  serverConnections?: number
  /** The maximum number of running stacks; 0 or absent: limited by connections only. */
  maxAwakeStacks?: number
  /** How long a stack may take to start a response. */
  stackResponseTimeoutMs?: number
  /** How long the service waits before it restarts a crashed stack. */
  stackBackoff?: Backoff
  /** Limits of client connections. */
  connectionLimits?: ConnectionLimits
  /** If absent, MQTT is off. */
  mqtt?: MqttConfig
  /** How long the delivery of an MQTT message is retried before the message counts as not stored. */
  mqttRetryLimitMs?: number
  /** The first pause between two attempts to deliver an MQTT message. */
  mqttPauseMs?: number
  /** How long an MQTT message must fail before it becomes a dead letter. */
  deadLetterAfterMs?: number
  /** How long a request to delete a sandbox waits for the removal before it gets the response 503. */
  removalLimitMs?: number
  provisionConcurrency: number
  /** How long an expired sandbox can be restored; 0: it is removed immediately. */
  expiryGraceMs: number
  /** The built web apps; absent: they are not served. */
  web?: WebFolders
  tickMs?: number
  /**
   * For several control planes that serve at the same time: the times of the leader's lease, and of the reports from
   * which the leader knows that another control plane uses a stack.
   */
  planeTimes?: PlaneTimes
  /** Requests per minute and developer; 0: no limit. */
  rateLimitPerMinute: number
  stack: Pick<ServeConfig, StackSettings>
}

type StackSettings =
  | 'logLevel'
  | 'logForm'
  | 'spacesPageCap'
  | 'mode'
  | 'corsOrigins'
  | 'moduleRoute'
  | 'natsUrls'
  | 'memoryLimitMb'
  | 'sandboxesIssuer'
  | 'sandboxesAudience'
  | 'sandboxesClaims'
  | 'rateLimitPerMinute'
  | 'sandboxRateLimitPerMinute'
  | 'webhookRanges'
  | 'storageLimitMb'

export interface ControlPlaneParts {
  control: Database
  tenantMigrations: readonly Migration[]
  runtime: StackRuntime
  /** Absent with an external identity provider that Storey may not administer. */
  directory?: Directory
  /** Handles requests for a realm; false when the request is for something else. */
  handleRealms?(request: IncomingMessage, response: ServerResponse): boolean
  /** What observes every request to the gateway, such as the metrics and the access log. */
  observers?: readonly HttpObserver[]
  /** Is notified when a stack starts or crashes, and when the creation of a sandbox succeeds or fails. */
  observer?: StackObserver & CreationObserver
  /** How client addresses are read. If absent, they are those of the sockets, and no proxy is trusted. */
  clientAddresses?: ClientAddresses
  /**
   * If this clock has an `anchor`, a stack gets the anchor at its start and continues from that time, because the
   * system clock may be wrong when the stack starts.
   */
  clock: Clock & Partial<SteadyClock>
  /**
   * False while another control plane may be active; this control plane then starts no background work. Not used if
   * several control planes can serve at the same time (`runtime.isShared`): the holder of the lease is then the leader.
   * If `isLeader` is absent and `runtime.isShared` is false, this control plane is always the leader.
   */
  isLeader?(): boolean
  /** Whether the clocks can be trusted enough to expire or remove something. */
  clockCheck: ClockCheck
  /** The database server's time, which decides expiry; read from the control database when absent. */
  serverTime?(): Promise<Date>
  log: Log
}

export interface ControlPlane {
  /** Serves all hosts; the caller has to call `listen`. */
  server: Server
  organizations: Organizations
  reconciler: Reconciler
  /**
   * Starts the background work: the reconciler, the loop that wakes stacks for due work, the operator loop, and others.
   */
  start(): void
  /**
   * From now on this control plane reports that it is not ready, and another control plane can lead. This control plane
   * still answers requests until load balancers send them elsewhere.
   */
  drain(): Promise<void>
  /** Absent when MQTT is off. */
  mqtt: Mqtt | undefined
  /** Values for the metrics. */
  counts(): Promise<ControlFigures>
  close(): Promise<void>
}
