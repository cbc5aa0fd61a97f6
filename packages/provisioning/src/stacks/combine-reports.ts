import type { StackReport } from '@storey/contract'

/**
 * Combines two reports. The figures that each process counts by itself (memory, connections, folded observations and
 * attempts) are added up. `combineCounts` combines the figures that a process reads from its database.
 */
export function combineReports(
  a: StackReport,
  b: StackReport,
  combineCounts: (a: number, b: number) => number,
): StackReport {
  return {
    folding: {
      waiting: combineCounts(a.folding.waiting, b.folding.waiting),
      oldestAtMs: earlierOf(a.folding.oldestAtMs, b.folding.oldestAtMs),
      folded: a.folding.folded + b.folding.folded,
    },
    requests: sum(a.requests, b.requests),
    ...combineQueues(a, b),
    isDatabaseUp: a.isDatabaseUp && b.isDatabaseUp,
    pool: sum(a.pool, b.pool),
    webhooks: {
      due: combineCounts(a.webhooks.due, b.webhooks.due),
      oldestDueAtMs: earlierOf(a.webhooks.oldestDueAtMs, b.webhooks.oldestDueAtMs),
      failing: combineCounts(a.webhooks.failing, b.webhooks.failing),
      succeeded: a.webhooks.succeeded + b.webhooks.succeeded,
      failed: a.webhooks.failed + b.webhooks.failed,
    },
    importsWaiting: combineCounts(a.importsWaiting, b.importsWaiting),
    liveConnections: a.liveConnections + b.liveConnections,
    isNatsConnected: a.isNatsConnected === null ? b.isNatsConnected : a.isNatsConnected && b.isNatsConnected !== false,
    loops: combineLoops(a.loops, b.loops),
  }
}

/** A process of an earlier version does not report its queues. Those of the others are known nevertheless. */
function combineQueues({ queues: a }: StackReport, { queues: b }: StackReport): Pick<StackReport, 'queues'> {
  const queues = a && b ? { folding: sum(a.folding, b.folding), edits: sum(a.edits, b.edits) } : (a ?? b)
  return queues ? { queues } : {}
}

function combineLoops(a: StackReport['loops'], b: StackReport['loops']): StackReport['loops'] {
  const combined = { ...a }
  for (const [name, runs] of Object.entries(b)) {
    const { succeeded = 0, failed = 0, lastSuccessAtMs = null } = a[name] ?? {}
    combined[name] = {
      succeeded: succeeded + runs.succeeded,
      failed: failed + runs.failed,
      lastSuccessAtMs: earlierOf(lastSuccessAtMs, runs.lastSuccessAtMs),
    }
  }
  return combined
}

const earlierOf = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.min(a, b))

const sum = <T extends Record<string, number>>(a: T, b: T): T =>
  Object.fromEntries(Object.keys(a).map((key) => [key, a[key]! + b[key]!])) as T
