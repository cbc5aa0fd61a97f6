import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { SandboxStatus, ServeConfig } from '@storey/contract'
import type { ClientAddresses } from '@storey/kit/client-address'
import type { Clock } from '@storey/kit/clock'
import type { ClockCheck } from '@storey/kit/clock-check'
import type { Database, Migration } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { SteadyClock } from '@storey/kit/steady-clock'
import type { Directory } from './features/accounts/index.ts'
import type { Organizations } from './features/organizations/index.ts'
import type { MigrationCounts } from './features/sandboxes/index.ts'
import type { ConnectionLimits, WebFolders } from './gateway/index.ts'
import type { Mqtt, MqttConfig } from './mqtt/index.ts'
import type { Reconciler } from './reconciler/index.ts'
import type { Backoff, StackRuntime, StacksReport } from './stacks/index.ts'

export interface ControlPlaneConfig {
  publicUrl: URL
  baseDomain: string
  aliases: readonly string[]
  masterSecret: string
  /** Whose access tokens are sessions of developers; without one there are keys alone. */
  developersIssuer: string | undefined
  /** The required `aud` of its tokens. Absent: an external provider without a configured audience. */
  developersAudience?: string
  /** Address of the control database, for a role that may create databases and roles. */
  serverUrl: string
  maxActiveSandboxes: number
  stackIdleMs: number
  /** Connections to PostgreSQL of all stacks together; no bound when absent. */
  stackConnections?: number
  /** How many stacks may run; 0 or absent: as many as there are connections for. */
  maxAwakeStacks?: number
  /** How long a stack may take to begin an answer; a default when absent. */
  stackResponseTimeoutMs?: number
  /** How long to wait before a stack that ended is started again; a default when absent. */
  stackBackoff?: Backoff
  /** Connections of clients; a default when absent. */
  connectionLimits?: ConnectionLimits
  /** Absent: off. */
  mqtt?: MqttConfig
  /** How long an MQTT message is tried for; a default when absent. */
  mqttPatienceMs?: number
  /** The first pause between two tries; a default when absent. */
  mqttPauseMs?: number
  /** How long our own code fails at an MQTT message before it is kept as a dead letter; a default when absent. */
  deadLetterAfterMs?: number
  provisionConcurrency: number
  /** How long an expired sandbox is kept, unseen; 0: not at all. */
  expiryGraceMs: number
  /** Where the built web apps are; absent: there are no pages. */
  web?: WebFolders
  tickMs?: number
  /** Requests a minute for each developer; 0: no limit. */
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
  | 'natsUrl'
  | 'memoryLimitMb'
  | 'sandboxesIssuer'
  | 'sandboxesAudience'
  | 'rateLimitPerMinute'
  | 'sandboxRateLimitPerMinute'
  | 'webhookRanges'
  | 'storageLimitMb'

export interface ControlPlaneParts {
  control: Database
  tenantMigrations: readonly Migration[]
  runtime: StackRuntime
  /** Absent with an identity provider of one's own. */
  directory?: Directory
  /** Takes the requests that are for a realm: true when it did. */
  handleRealms?(request: IncomingMessage, response: ServerResponse): boolean
  /** Whose word on a client's address is taken. Absent: nobody's. */
  clientAddresses?: ClientAddresses
  /** Its anchor is passed on to stacks, which may begin while the machine's clock is wrong. */
  clock: Clock & Partial<SteadyClock>
  /** False: another control plane may be at work, and this one begins nothing. Always true when absent. */
  isLeader?(): boolean
  /** Whether time can be trusted enough to take something away. */
  clockCheck: ClockCheck
  /** The database server's own time, which expiry goes by; asked from the control database when absent. */
  serverTime?(): Promise<Date>
  log: Log
}

export interface ControlPlane {
  /** Serves every host; not listening yet. */
  server: Server
  organizations: Organizations
  reconciler: Reconciler
  /** Begins to do what is to be done without a request: sandboxes are made and removed, stacks woken for their work. */
  start(): void
  /** Absent when it is off. */
  mqtt: Mqtt | undefined
  /** Figures for the metrics. */
  counts(): Promise<{
    sandboxes: Record<SandboxStatus | 'expired', number>
    migrations: MigrationCounts
    clocks: ReturnType<ClockCheck['state']>
    stacksRunning: number
    /** How many of the stacks' connections are given out, and how many stacks wait for some. */
    capacity: { connections: number; used: number; waiting: number }
    mqtt: ReturnType<Mqtt['counts']> | undefined
    /** MQTT messages that are kept for the operator. */
    deadLetters: number
    /** Of all stacks that run: how many observations wait to be folded, and for how long the oldest of them. */
    observations: { waiting: number; oldestWaitsMs: number; folded: number }
    /** Of all stacks that run: their memory, and what requests use of it. */
    requests: StacksReport['requests']
    /** Of all stacks that run: what became of their background work. */
    stackLoops: StacksReport['loops']
  }>
  close(): Promise<void>
}
