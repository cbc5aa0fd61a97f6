// The configuration of the processes of a sandbox, and their messages. The control plane starts a process with one of
// four commands: `seed` writes the first building and ends, `serve` is the stack, `spare` is a spare process, and
// `warm` compiles the code of a stack and ends. `seed` and `serve` read their configuration from an environment
// variable. A spare process receives the configuration of `serve` as a message, when a sandbox wakes. Messages go over
// the IPC channel between the control plane and the process, and also over HTTP if the configuration has `control`.

import Type, { type Static } from 'typebox'
import { Nullable } from './lists.ts'
import { BuildingParameters } from './sandboxes.ts'
import type { StackReport } from './stack-report.ts'

export const STACK_CONFIG_VARIABLE = 'STACK_CONFIG'

/**
 * EX_UNAVAILABLE of sysexits.h: the stack cannot start or cannot continue, because its database cannot serve it now.
 */
export const UNAVAILABLE_EXIT_CODE = 69

/**
 * Header of the control plane's own requests, with the value `internalKey`. The gateway removes it from requests of
 * clients.
 */
export const INTERNAL_KEY_HEADER = 'x-storey-internal-key'

/**
 * Header of a request that delivers an MQTT message: the time when the broker received the message, in milliseconds
 * since 1970. Each retry has the same time. The header is ignored in a request without the internal key, and the
 * gateway removes it from requests of clients.
 */
export const ARRIVED_AT_HEADER = 'x-storey-arrived-at'

/**
 * Header of a stack's response to an authenticated caller: the caller's kind and id, percent-encoded, or `1` if they
 * are not known. The gateway removes it. When the gateway has too many connections, it closes those of authenticated
 * callers last.
 */
export const SIGNED_IN_HEADER = 'x-storey-signed-in'

/**
 * Header of a stack's response with the template of its route, for metrics and the access log. The gateway removes it.
 */
export const ROUTE_HEADER = 'x-storey-route'

const shared = {
  sandboxId: Type.String(),
  /** The tenant: the organization inside the sandbox, not the developer's. */
  organizationId: Type.String(),
  databaseUrl: Type.String(),
  logLevel: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
  logForm: Type.Enum(['json', 'lines']),
  /**
   * The key of the control plane, derived from the master secret and the sandbox. A request with this key is not rate
   * limited. Absent: every request is rate limited.
   */
  internalKey: Type.Optional(Type.String({ minLength: 32 })),
  /**
   * Serves messages and commands over HTTP too (`control-channel.ts` of the platform), with `internalKey` as the
   * credential.
   */
  control: Type.Optional(
    Type.Object({
      /** The address to listen on; by default the loopback interface. */
      host: Type.Optional(Type.String()),
      /** 0: a free port, whose number the message `listening` contains. */
      port: Type.Integer({ minimum: 0, maximum: 65_535 }),
      /**
       * The file to which the process writes its last message: the result of `seed`, or that the schema does not match.
       */
      lastMessageFile: Type.Optional(Type.String()),
    }),
  ),
}

export const ServeConfig = Type.Object({
  ...shared,
  /** The total number of connections that the stack may open to its database; 6 when absent. */
  databaseConnections: Type.Optional(Type.Integer({ minimum: 2 })),
  apiUrl: Type.String(),
  /** The same API below a path of the service; null: disabled. */
  pathUrl: Nullable(Type.String()),
  /** How to verify the sandbox's own token. The audience of the token is the sandbox. */
  token: Type.Object({ issuer: Type.String(), publicKey: Type.Record(Type.String(), Type.Unknown()) }),
  /** The realm whose access tokens are accepted besides the sandbox's own; null: none. */
  sandboxesIssuer: Nullable(Type.String()),
  /** The key that encrypts secrets in the sandbox's database. Each sandbox has its own key. */
  sealKey: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  /**
   * The `aud` that tokens of `sandboxesIssuer` must have. Absent if an external provider has no configured audience.
   */
  sandboxesAudience: Type.Optional(Type.String()),
  /** Claims of `sandboxesIssuer` that have other names than in the embedded realm. */
  sandboxesClaims: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Requests a minute for each caller; 0: no limit. */
  rateLimitPerMinute: Type.Integer({ minimum: 0 }),
  /** Requests a minute for all callers of the sandbox together; 0: no limit. */
  sandboxRateLimitPerMinute: Type.Integer({ minimum: 0 }),
  /**
   * The control plane's time, and the machine's uptime at that moment. `trustedMs` is the last trusted time of an
   * earlier process; it is given only while the control plane's time is doubtful (`kit/src/steady-clock.ts`).
   */
  clockAnchor: Type.Optional(
    Type.Object({ wallMs: Type.Number(), sinceBootMs: Type.Number(), trustedMs: Type.Optional(Type.Number()) }),
  ),
  /** Where requests are accepted. Absent: on a free port of the loopback interface. */
  listen: Type.Optional(Type.Object({ host: Type.String(), port: Type.Integer({ minimum: 0, maximum: 65_535 }) })),
  /**
   * The run of the control plane that started the stack. The stack ends when that run ends. Absent: the stack outlives
   * the control plane.
   */
  serviceRun: Type.Optional(Type.String({ pattern: '^[0-9a-f]{8}$' })),
  spacesPageCap: Type.Integer({ minimum: 1 }),
  /** In development mode, webhooks may be sent over http and to loopback addresses. */
  mode: Type.Enum(['development', 'production']),
  /** Networks that webhooks may be sent to in addition to public ones, and networks that they must not be sent to. */
  webhookRanges: Type.Optional(Type.Object({ allowed: Type.Array(Type.String()), denied: Type.Array(Type.String()) })),
  /** Whether the shell loads modules by their slug, from the developer's own machine. */
  moduleRoute: Type.Enum(['on', 'off']),
  /** Origins of pages that may use the live channel, in addition to the sandbox's own. */
  corsOrigins: Type.Array(Type.String()),
  /** The servers of a NATS cluster. Absent: events stay in the process. The first URL may contain credentials. */
  natsUrls: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
  /** Subjects whose tokens were revoked before the stack started and have not expired yet. */
  revoked: Type.Optional(
    Type.Array(
      Type.Object({ issuer: Type.String(), subject: Type.String(), at: Type.String({ format: 'date-time' }) }),
    ),
  ),
  /** Disk space that the sandbox may use. If more is used, writes that need space are refused. 0: no limit. */
  storageLimitMb: Type.Integer({ minimum: 0 }),
  /** How long the stack still serves after SIGTERM, if no `stop` command comes first; absent: it stops immediately. */
  stopDelayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  /** Whether other processes can serve the sandbox too, at the same time or later, even on other machines. */
  isShared: Type.Optional(Type.Boolean()),
  /**
   * The memory limit of the process. Requests wait when the memory in use is close to the limit. If the process stays
   * above the limit, it exits and is restarted.
   */
  memoryLimitMb: Type.Integer({ minimum: 64 }),
})
export type ServeConfig = Static<typeof ServeConfig>

export const SeedConfig = Type.Object({
  ...shared,
  building: BuildingParameters,
  telemetryDays: Type.Integer(),
  /** The time of creation, where the history ends. */
  until: Type.String({ format: 'date-time' }),
})
export type SeedConfig = Static<typeof SeedConfig>

export interface SeedResult {
  siteId: string
  buildingId: string
  fingerprint: string
  /** Disk space of the new sandbox. */
  storageBytes?: number
}

/**
 * The maximum size of a request body and of an MQTT packet that a stack serves on a transferred connection. Larger
 * bodies pass through the gateway, and larger packets through the broker: compared with the work of storing so much
 * data, forwarding costs little.
 */
export const DIRECT_BODY_BYTES = 256 * 1024

/** A request that a stack served on a transferred connection, for metrics and the access log. */
export interface ServedRequest {
  connection: number
  requestId: string
  target: string
  route: string
  /** As in SIGNED_IN_HEADER. */
  caller: string
  status: number
  durationMs: number
  /** Bytes sent to the client. */
  bytes: number
}

/** How many MQTT messages a stack stored on a transferred connection. */
export interface StoredMessages {
  connection: number
  count: number
}

export type StackMessage =
  /** A spare process has its configuration, and starts. */
  | { type: 'taken' }
  /** `controlPort` is the port of the control channel, if there is one. */
  | { type: 'listening'; port: number; controlPort?: number }
  /** The stack exits, because the schema of its database is older (`behind`) or newer (`ahead`) than the code. */
  | { type: 'schema'; state: 'behind' | 'ahead'; version: number }
  | { type: 'progress'; percent: number; step: string }
  | { type: 'seeded'; result: SeedResult }
  /**
   * The time of the stack's next due work. Until then the stack can sleep. null: there is no due work. A time in the
   * past: the work is running or overdue.
   */
  | { type: 'due'; at: string | null }
  /** Used disk space of the sandbox. */
  | { type: 'storage'; bytes: number }
  | ({ type: 'report' } & StackReport)
  /** A connection that the command `connection` or `ingest` transferred has ended. */
  | { type: 'ended'; connection: number }
  /**
   * Returns a connection of `ingest` or `publish` to the control plane. `read` has the bytes that were read from it but
   * not served, in base64. If the connection has ended meanwhile, only these bytes are returned. `silentMs` is how long
   * an MQTT client has sent nothing; 0 for `ingest`.
   */
  | { type: 'returned'; connection: number; read: string; silentMs: number }
  /**
   * What was served on connections of `ingest` and `publish`. Sent every 250 ms while there are such connections, and
   * when one of them ends or is returned.
   */
  | { type: 'served'; requests: ServedRequest[]; messages: StoredMessages[] }
  /** The last message of a control channel: the process ends. */
  | { type: 'stopped' }

export type StackCommand =
  /**
   * Makes a spare process the stack of a sandbox. `config` is a ServeConfig as JSON. A process that runs as root first
   * changes to `user`.
   */
  | { type: 'serve'; config: string; folder: string; user?: { uid: number; gid: number } }
  | { type: 'stop' }
  /** The stack responds with a report, or not at all while it has none. */
  | { type: 'report' }
  /** Transfers a client's connection to the stack; `read` has the bytes already read from it, in base64. */
  | { type: 'connection'; connection: number; read: string }
  /**
   * Transfers a client's connection to the stack. The stack serves plain ingest requests for this host, and returns the
   * connection when any other request arrives.
   */
  | { type: 'ingest'; connection: number; host: string }
  /**
   * Transfers the connection of an MQTT client to the stack. The stack stores and acknowledges the plain messages to
   * this topic, answers pings between the messages, and returns the connection when any other packet arrives. `read`
   * has the bytes already read from the connection, in base64.
   */
  | { type: 'publish'; connection: number; topic: string; buildingId: string; read: string }
  /** Requests the return of a connection of `ingest` or `publish`; without `connection`, the return of all of them. */
  | { type: 'return'; connection?: number }
  /** The accounts of the sandbox have changed. */
  | { type: 'people' }
  /** Revokes all tokens of this subject that were issued until `at`, or until now if `at` is absent. */
  | { type: 'revoked'; issuer: string; subject: string; at?: string }

/**
 * The commands that a control channel accepts. All other commands need an IPC channel, so only a process on the same
 * machine accepts them.
 */
export const ControlCommand = Type.Union([
  Type.Object({ type: Type.Literal('stop') }),
  Type.Object({ type: Type.Literal('report') }),
  Type.Object({ type: Type.Literal('people') }),
  Type.Object({
    type: Type.Literal('revoked'),
    issuer: Type.String({ maxLength: 2_000 }),
    subject: Type.String({ maxLength: 2_000 }),
    at: Type.Optional(Type.String({ format: 'date-time' })),
  }),
])
export type ControlCommand = Static<typeof ControlCommand>
