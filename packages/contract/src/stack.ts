import Type, { type Static } from 'typebox'
import { Nullable } from './lists.ts'
import { BuildingParameters } from './sandboxes.ts'

/**
 * What the control plane tells a stack, and hears from it. A stack reads its configuration from one environment
 * variable, does one of two commands, `seed` or `serve`, and speaks over the channel it was started with.
 */
export const STACK_CONFIG_VARIABLE = 'STACK_CONFIG'

/** EX_UNAVAILABLE of sysexits.h: the stack cannot start because its database cannot serve it now. */
export const UNAVAILABLE_EXIT_CODE = 69

/** On a request of the control plane's own: `internalKey`. The gateway takes it off what comes from outside. */
export const INTERNAL_KEY_HEADER = 'x-storey-internal-key'

/** On an answer of a stack to a caller whose credential is good. The gateway takes it off, and keeps such connections. */
export const SIGNED_IN_HEADER = 'x-storey-signed-in'

const shared = {
  sandboxId: Type.String(),
  /** The tenant: the organization inside the sandbox, not the developer's. */
  organizationId: Type.String(),
  databaseUrl: Type.String(),
  logLevel: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
  logForm: Type.Enum(['json', 'lines']),
}

export const ServeConfig = Type.Object({
  ...shared,
  /** How many connections to its database it may open, all parts together. */
  databaseConnections: Type.Optional(Type.Integer({ minimum: 2 })),
  apiUrl: Type.String(),
  /** How to know the sandbox's own token: its audience is the sandbox. */
  token: Type.Object({ issuer: Type.String(), publicKey: Type.Record(Type.String(), Type.Unknown()) }),
  /** The realm whose access tokens are let in beside the sandbox's own; null: none. */
  sandboxesIssuer: Nullable(Type.String()),
  /** What secrets in its database are sealed with: a key of this sandbox alone. */
  sealKey: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  /** What `aud` of its tokens must hold. Absent: a provider of one's own, of which that is not known. */
  sandboxesAudience: Type.Optional(Type.String()),
  /** Requests a minute for each caller; 0: no limit. */
  rateLimitPerMinute: Type.Integer({ minimum: 0 }),
  /** Requests a minute for all callers of the sandbox together; 0: no limit. */
  sandboxRateLimitPerMinute: Type.Integer({ minimum: 0 }),
  /** What time it was at the control plane, and what the machine had counted since its start. */
  clockAnchor: Type.Optional(Type.Object({ wallMs: Type.Number(), sinceBootMs: Type.Number() })),
  /** A request that bears it is not counted; made anew at each start of the control plane. Absent: all are. */
  internalKey: Type.Optional(Type.String({ minLength: 32 })),
  spacesPageCap: Type.Integer({ minimum: 1 }),
  /** In development webhooks may go to http and loopback. */
  mode: Type.Enum(['development', 'production']),
  /** Networks beyond the public ones that webhooks may be sent to, and ones that they may not. */
  webhookRanges: Type.Optional(Type.Object({ allowed: Type.Array(Type.String()), denied: Type.Array(Type.String()) })),
  /** Whether the shell loads modules by their slug, from the developer's own machine. */
  moduleRoute: Type.Enum(['on', 'off']),
  /** Origins of pages that may use the live channel, beside the sandbox's own. */
  corsOrigins: Type.Array(Type.String()),
  /** Absent: events stay in the process. It may hold credentials. */
  natsUrl: Type.Optional(Type.String()),
  /** Whose tokens were revoked while the stack was away, or before it, and have not expired yet. */
  revoked: Type.Optional(
    Type.Array(
      Type.Object({ issuer: Type.String(), subject: Type.String(), at: Type.String({ format: 'date-time' }) }),
    ),
  ),
  /** What the sandbox may take of the disk; writes are refused above it. 0: no limit. */
  storageLimitMb: Type.Integer({ minimum: 0 }),
  /** Requests wait when the process comes near it. Above it the process ends itself, and is started again. */
  memoryLimitMb: Type.Integer({ minimum: 64 }),
})
export type ServeConfig = Static<typeof ServeConfig>

export const SeedConfig = Type.Object({
  ...shared,
  building: BuildingParameters,
  telemetryDays: Type.Integer(),
  /** The moment of creation: history ends here. */
  until: Type.String({ format: 'date-time' }),
})
export type SeedConfig = Static<typeof SeedConfig>

export interface SeedResult {
  siteId: string
  buildingId: string
  fingerprint: string
  /** What the sandbox takes of the disk at its beginning. */
  storageBytes?: number
}

/** How the folding of observations goes. */
export interface FoldingReport {
  /** Observations that are stored and not folded yet. */
  waiting: number
  /** When the first of those came; null when none wait. */
  oldestAtMs: number | null
  /** Observations that were folded since the process began. */
  folded: number
}

/** What requests use in a stack. */
export interface RequestsReport {
  /** What the process has in memory. */
  rssBytes: number
  /** Memory that is set aside for requests under way. */
  bytesInUse: number
  /** Requests that wait for memory. */
  waiting: number
  /** Requests that waited in vain since the process began. */
  refused: number
}

/** What became of the runs of one background loop since the process started. */
export interface LoopRuns {
  succeeded: number
  failed: number
  /** Milliseconds since 1970; null: no run has succeeded yet. */
  lastSuccessAtMs: number | null
}

export interface StackReport {
  folding: FoldingReport
  requests: RequestsReport
  /** By the names of the loops. */
  loops: Record<string, LoopRuns>
}

export type StackMessage =
  | { type: 'listening'; port: number }
  /** It will not run on this database, and ends. */
  | { type: 'schema'; state: 'behind' | 'ahead' }
  | { type: 'progress'; percent: number; step: string }
  | { type: 'seeded'; result: SeedResult }
  /** When the stack next has something to do by itself: it may sleep until then. null: nothing; past: it is at it. */
  | { type: 'due'; at: string | null }
  /** What the sandbox takes of the disk. */
  | { type: 'storage'; bytes: number }
  | ({ type: 'report' } & StackReport)
  /** A connection that was handed over has ended. */
  | { type: 'ended'; connection: number }

export type StackCommand =
  | { type: 'stop' }
  /** Answered by a report, or by nothing while none can be given. */
  | { type: 'report' }
  /** Comes with a client's connection, which is the stack's from here on; `read` was read of it, in base64. */
  | { type: 'connection'; connection: number; read: string }
  /** Tokens of this subject that were issued until now are good no more. */
  | { type: 'revoked'; issuer: string; subject: string }
