import type { Server } from 'node:net'
import type { SandboxConnection } from '@storey/contract'
import type { ClientAddresses } from '@storey/kit/client-address'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { isTracing } from '@storey/kit/tracing'
import { createKeepDeadLetter, createResender } from '../features/dead-letters/index.ts'
import { listTenants, type SandboxRow } from '../features/sandboxes/index.ts'
import type { SandboxCache } from '../gateway/index.ts'
import type { StackPool } from '../stacks/index.ts'
import { createCredentials } from './credentials.ts'
import { createDelivery } from './deliver.ts'
import type { ReaderAssignment } from './external-broker.ts'
import { createReceive } from './receive.ts'
import { createResend } from './resend.ts'
import { createTally, type MqttOutcome } from './tally.ts'
import { telemetryTopic } from './topics.ts'

export type MqttConfig = (
  | { kind: 'embedded'; port: number }
  | { kind: 'external'; url: URL; username: string | undefined; password: string | undefined }
) & {
  /** The address that clients use, such as that of a proxy. Absent: they use the address of the broker itself. */
  publicUrl?: URL | undefined
}

export interface MqttParts {
  control: Database
  clock: Clock
  clientAddresses: ClientAddresses
  sandboxCache: SandboxCache
  stacks: StackPool
  masterSecret: string
  /** The host name of the embedded broker. */
  hostname: string
  installationTag: string
  tokenOf(row: SandboxRow): Promise<string>
  internalKeyOf(sandboxId: string): string
  responseTimeoutMs: number
  /** How long delivery is retried before a message counts as not stored. */
  retryLimitMs?: number | undefined
  /** The first pause between two attempts. */
  pauseMs?: number | undefined
  /** How long a message must fail before it becomes a dead letter. */
  deadLetterAfterMs?: number | undefined
  /**
   * False while another control plane leads: only the leader resends dead letters, and reads the device topics of an
   * external broker.
   */
  isLeader(): boolean
  /** Absent if no other control plane serves at the same time. */
  planes?: MqttPlanes | undefined
  log: Log
}

/** What is shared with other control planes that serve at the same time. */
export interface MqttPlanes {
  id: string
  readers: ReaderAssignment
  /**
   * Announces a client that has connected to the embedded broker here. The other control planes then close their
   * connections with its id.
   */
  announceClient(clientId: string): void
}

/** Figures for the operator. */
export interface MqttCounts extends Record<MqttOutcome, number> {
  /** Clients of the embedded broker. */
  clients: number
  /** Bytes of messages that are received and not stored yet, and the maximum number of such bytes. */
  waitingBytes: number
  maxWaitingBytes: number
  /** Our sessions at an external broker; undefined with the embedded one. */
  sessions: { connected: number; disconnected: number } | undefined
}

/** Telemetry over MQTT. */
export interface Mqtt {
  /** The server of the embedded broker; the caller has to call `listen`. Absent with an external broker. */
  server: Server | undefined
  start(): void
  /** What a sandbox's owner needs to publish; null when no messages are read. */
  connectionOf(row: SandboxRow): SandboxConnection['mqtt']
  /** Call this when a sandbox has changed. `slug` is undefined if any sandbox may have changed. */
  changed(slug: string | undefined): void
  /** Call this when the other control planes know that a client with this id has connected here. */
  clientAnnounced(clientId: string): void
  /** Call this when a client with this id has connected to another control plane. */
  clientMoved(clientId: string): void
  counts(): MqttCounts
  close(): Promise<void>
}

type Topics = Pick<SandboxRow, 'tenantId' | 'siteId' | 'buildingId'>

/** Loads only the code for the configured kind of broker, because the code for each kind is large. */
export async function createMqtt(config: MqttConfig, parts: MqttParts): Promise<Mqtt> {
  const { control, clock, sandboxCache, log, clientAddresses } = parts
  const tally = createTally(log)
  const closing = new AbortController()
  const keepDeadLetter = createKeepDeadLetter(control)
  const { deliver, attempt } = createDelivery({ ...parts, keepDeadLetter, closing: closing.signal })
  const receive = createReceive({ sandboxCache, deliver, tally })
  const resender = createResender({
    control,
    clock,
    log,
    isLeader: parts.isLeader,
    send: createResend({ control, attempt }),
  })
  const end = async (close: () => Promise<void>) => {
    closing.abort()
    await Promise.all([close(), resender.stop()])
    log.info({ ...tally.counts }, 'MQTT closed')
  }

  if (config.kind === 'embedded') {
    const [{ createEmbeddedBroker }, { createDirectPublishers }] = await Promise.all([
      import('./embedded-broker.ts'),
      import('./direct-publishers.ts'),
    ])
    const credentials = createCredentials(parts.masterSecret)
    const onClient = parts.planes?.announceClient
    const direct = createDirectPublishers({
      ...{ sandboxCache, stacks: parts.stacks, tally, silenceLimitMs: parts.responseTimeoutMs },
      isEnabled: !isTracing(),
    })
    const broker = await createEmbeddedBroker({
      ...{ control, clock, sandboxCache, credentials, receive, direct, log, clientAddresses, onClient },
    })
    const url = config.publicUrl?.href ?? `mqtt://${parts.hostname}:${config.port}`
    return {
      server: broker.server,
      start: resender.start,
      connectionOf: (row) => ({
        url,
        username: row.id,
        password: credentials.passwordOf(row.id),
        topic: topicOf(row),
      }),
      changed: (slug) =>
        void broker.changed(slug).catch((err) => log.error({ err, slug }, 'could not disconnect MQTT clients')),
      clientAnnounced: broker.clientAnnounced,
      clientMoved: broker.clientMoved,
      counts: () => ({
        ...tally.counts,
        clients: broker.clients(),
        ...broker.memory(),
        sessions: undefined,
      }),
      close: () => end(() => broker.close()),
    }
  }

  const { url, username, password } = config
  if (username === undefined || password === undefined) {
    log.warn('MQTT_USERNAME or MQTT_PASSWORD is not set: MQTT messages are not read')
    const sessions = { connected: 0, disconnected: 0 }
    const nothing = { clients: 0, waitingBytes: 0, maxWaitingBytes: 0, sessions }
    return { ...defaults, counts: () => ({ ...tally.counts, ...nothing }) }
  }
  const { createExternalBroker } = await import('./external-broker.ts')
  const broker = createExternalBroker({
    account: { url, username, password },
    clientId: `storey-${parts.installationTag}`,
    listSandboxes: () => listTenants(control),
    readers: parts.planes?.readers,
    isLeader: parts.isLeader,
    planeId: parts.planes?.id,
    clock,
    receive,
    tally,
    log,
  })
  return {
    ...defaults,
    start: () => {
      broker.start()
      resender.start()
    },
    connectionOf: (row) => ({
      url: (config.publicUrl ?? url).href,
      username: null,
      password: null,
      topic: topicOf(row),
    }),
    changed: () => broker.changed(),
    counts: () => ({ ...tally.counts, clients: 0, ...broker.memory(), sessions: broker.sessions() }),
    close: () => end(() => broker.close()),
  }
}

/** The members of an `Mqtt` that does nothing. */
const defaults = {
  server: undefined,
  start: () => undefined,
  connectionOf: () => null,
  changed: () => undefined,
  clientAnnounced: () => undefined,
  clientMoved: () => undefined,
  close: async () => undefined,
}

/** The telemetry topic of a sandbox. Only a ready sandbox has a site and a building. */
function topicOf({ tenantId, siteId, buildingId }: Topics): string {
  return telemetryTopic({ organizationId: tenantId, siteId: siteId!, buildingId: buildingId! })
}
