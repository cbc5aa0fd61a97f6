import type { QueueReport, QueuesReport, StackReport } from '@storey/contract'
import { combineReports } from '@storey/provisioning'
import { counter, gauge, type Metric, type Readings, seconds } from './metric.ts'

/**
 * The maximum number of awake sandboxes whose metrics have a label of their own: those that use the most memory. The
 * metrics of all other awake sandboxes are combined under the label `other`. Counts and bytes are added up, so that
 * sums over all labels include all sandboxes. An age is the highest age of these sandboxes. `database_up` and
 * `nats_connected` are 1 only if they are 1 for all these sandboxes. A sleeping sandbox has no metrics.
 */
export const MAX_LABELLED = 200
export const OTHER = 'other'

/** The reports by the value of the label `sandbox`. */
export function labelStacks(stacks: Record<string, StackReport>): [sandbox: string, report: StackReport][] {
  const all = Object.entries(stacks)
  if (all.length <= MAX_LABELLED) return all
  all.sort(([, a], [, b]) => b.requests.rssBytes - a.requests.rssBytes)
  const others = all.slice(MAX_LABELLED).map(([, report]) => report)
  return [...all.slice(0, MAX_LABELLED), [OTHER, others.reduce((a, b) => combineReports(a, b, sum))]]
}

const sum = (a: number, b: number) => a + b

/** The requests that are held back, by reason. A stack of an earlier version reports only those that wait for memory. */
export const heldBack = ({ requests, queues }: { requests: QueueReport; queues?: QueuesReport }) =>
  Object.entries({ memory: requests, ...queues }).map(([reason, { waiting, refused }]) => ({
    reason,
    waiting,
    refused,
  }))

type Figure = (report: StackReport, nowMs: number) => number | null

const figures = (name: string, help: string, figure: Figure, of = gauge): Metric =>
  of.by(['sandbox'], `storey_stack_${name}`, help, ({ labelledStacks, nowMs }) =>
    labelledStacks.flatMap(([sandbox, report]) => {
      const value = figure(report, nowMs)
      return value === null ? [] : [{ sandbox, value }]
    }),
  )

const waitedSince = (atMs: number | null, nowMs: number) => (atMs === null ? 0 : seconds(Math.max(0, nowMs - atMs)))

const by =
  (label: string, read: (report: StackReport) => Record<string, number>): Metric['samples'] =>
  ({ labelledStacks }: Readings) =>
    labelledStacks.flatMap(([sandbox, report]) =>
      Object.entries(read(report)).map(([name, value]) => ({ sandbox, [label]: name, value })),
    )

/** Metrics of each awake sandbox. */
export const STACK_METRICS: readonly Metric[] = [
  figures('resident_memory_bytes', 'Resident memory of the stack', ({ requests }) => requests.rssBytes),
  gauge.by(
    ['sandbox', 'reason'],
    'storey_stack_requests_waiting',
    'Requests that are held back',
    by('reason', (report) => Object.fromEntries(heldBack(report).map(({ reason, waiting }) => [reason, waiting]))),
  ),
  figures('observations_waiting', 'Observations that are not folded yet', ({ folding }) => folding.waiting),
  figures(
    'observations_oldest_waiting_seconds',
    'Time since the arrival of the oldest observation that is not folded yet',
    ({ folding }, nowMs) => waitedSince(folding.oldestAtMs, nowMs),
  ),
  figures('webhook_deliveries_due', 'Deliveries of webhooks that are due', ({ webhooks }) => webhooks.due),
  figures(
    'webhook_oldest_due_seconds',
    'How long the oldest due delivery of a webhook has been due',
    ({ webhooks }, nowMs) => waitedSince(webhooks.oldestDueAtMs, nowMs),
  ),
  figures(
    'webhooks_failing',
    'Webhooks whose last attempt failed, without those that a person has paused',
    ({ webhooks }) => webhooks.failing,
  ),
  counter.by(
    ['sandbox', 'result'],
    'storey_stack_webhook_attempts_total',
    'Attempts to deliver an event to a webhook, since the stack started',
    by('result', ({ webhooks }) => ({ success: webhooks.succeeded, failure: webhooks.failed })),
  ),
  figures('imports_waiting', 'Imports of building models that wait or run', ({ importsWaiting }) => importsWaiting),
  figures('live_connections', 'Connections of the live channel', ({ liveConnections }) => liveConnections),
  figures('database_up', '1 while the database of the sandbox answers', ({ isDatabaseUp }) => Number(isDatabaseUp)),
  gauge.by(
    ['sandbox', 'state'],
    'storey_stack_database_connections',
    'Connections of the stack to its database: in use, and the limit',
    by('state', ({ pool }) => ({ in_use: pool.inUse, limit: pool.limit })),
  ),
  figures(
    'database_waiting',
    'Statements of the stack that wait for a connection to its database',
    ({ pool }) => pool.waiting,
  ),
  figures('nats_connected', '1 while the stack is connected to NATS', ({ isNatsConnected }) =>
    isNatsConnected === null ? null : Number(isNatsConnected),
  ),
]
