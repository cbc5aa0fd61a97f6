// What a stack reports to the control plane for the metrics. The report has a schema, because the control plane
// validates each report: a faulty stack must not break the metrics of other stacks.

import Type, { type Static } from 'typebox'
import { Nullable } from './lists.ts'

const Count = Type.Number({ minimum: 0 })
/** Milliseconds since 1970. */
const Moment = Type.Number()

/** The state of the folding of observations. */
export const FoldingReport = Type.Object({
  /** Observations that are stored but not folded yet. */
  waiting: Count,
  /** When the oldest of the waiting observations arrived; null if none wait. */
  oldestAtMs: Nullable(Moment),
  /** Observations folded since the process started. */
  folded: Count,
})
export type FoldingReport = Static<typeof FoldingReport>

/** The memory of requests in a stack. */
export const RequestsReport = Type.Object({
  /** Resident memory of the process. */
  rssBytes: Count,
  /** Memory reserved for requests in progress. */
  bytesInUse: Count,
  /** Requests that wait for memory. */
  waiting: Count,
  /** Requests that were refused since the process started, because the wait was too long or too many waited. */
  refused: Count,
})
export type RequestsReport = Static<typeof RequestsReport>

/** Requests that are held back. */
export const QueueReport = Type.Object({
  waiting: Count,
  /** Requests that were refused since the process started, because the wait was too long or too many waited. */
  refused: Count,
})
export type QueueReport = Static<typeof QueueReport>

/** Requests that are held back for other reasons than memory. */
export const QueuesReport = Type.Object({
  /** Requests and messages with observations, while too many observations wait to be folded. */
  folding: QueueReport,
  /** Large edits of the graph, which run one at a time. */
  edits: QueueReport,
})
export type QueuesReport = Static<typeof QueuesReport>

/** The results of one background loop since the process started. */
export const LoopRuns = Type.Object({
  succeeded: Count,
  failed: Count,
  /** null: no run has succeeded yet. */
  lastSuccessAtMs: Nullable(Moment),
})
export type LoopRuns = Static<typeof LoopRuns>

/** The connections of a process to its database. */
export const PoolReport = Type.Object({
  inUse: Count,
  /** Statements that wait for a connection. */
  waiting: Count,
  limit: Count,
})
export type PoolReport = Static<typeof PoolReport>

/** The deliveries of webhooks. */
export const WebhooksReport = Type.Object({
  /**
   * Due deliveries that are not sent yet, without those of webhooks that a person has paused; counted up to 10,000 for
   * each webhook.
   */
  due: Count,
  /** When the oldest of these deliveries was due; null if none is due. */
  oldestDueAtMs: Nullable(Moment),
  /** Webhooks whose last attempt failed, without those that a person has paused. */
  failing: Count,
  /** Attempts since the process started. */
  succeeded: Count,
  failed: Count,
})
export type WebhooksReport = Static<typeof WebhooksReport>

export const StackReport = Type.Object({
  folding: FoldingReport,
  requests: RequestsReport,
  /** Absent in reports of earlier versions: a stack can be older than the control plane. */
  queues: Type.Optional(QueuesReport),
  /** False while the database does not answer: figures that are read from it are then the last known ones. */
  isDatabaseUp: Type.Boolean(),
  pool: PoolReport,
  webhooks: WebhooksReport,
  /** Imports of building models that wait or run. */
  importsWaiting: Count,
  /** Connections of the live channel, including those of clients that have not signed in. */
  liveConnections: Count,
  /** null without NATS. */
  isNatsConnected: Nullable(Type.Boolean()),
  /** Keyed by loop name. */
  loops: Type.Record(Type.String({ pattern: '^[a-z][a-z-]{0,60}$' }), LoopRuns, {
    maxProperties: 100,
    additionalProperties: false,
  }),
})
export type StackReport = Static<typeof StackReport>
