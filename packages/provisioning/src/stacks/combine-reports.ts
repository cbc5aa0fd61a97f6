import type { StackReport } from '@storey/contract'

/**
 * Combines the reports of two processes of one stack. Each process counts its own memory, connections, folded
 * observations and attempts, so these are added up. What waits is read from the database of the stack, by each process
 * at its own time, so the larger figure is used.
 */
export function combineReports(a: StackReport, b: StackReport): StackReport {
  return {
    folding: {
      waiting: Math.max(a.folding.waiting, b.folding.waiting),
      oldestAtMs: earlierOf(a.folding.oldestAtMs, b.folding.oldestAtMs),
      folded: a.folding.folded + b.folding.folded,
    },
    requests: sum(a.requests, b.requests),
    isDatabaseUp: a.isDatabaseUp && b.isDatabaseUp,
    pool: sum(a.pool, b.pool),
    webhooks: {
      due: Math.max(a.webhooks.due, b.webhooks.due),
      oldestDueAtMs: earlierOf(a.webhooks.oldestDueAtMs, b.webhooks.oldestDueAtMs),
      failing: Math.max(a.webhooks.failing, b.webhooks.failing),
      succeeded: a.webhooks.succeeded + b.webhooks.succeeded,
      failed: a.webhooks.failed + b.webhooks.failed,
    },
    importsWaiting: Math.max(a.importsWaiting, b.importsWaiting),
    liveConnections: a.liveConnections + b.liveConnections,
    isNatsConnected: a.isNatsConnected === null ? b.isNatsConnected : a.isNatsConnected && b.isNatsConnected !== false,
    loops: combineLoops(a.loops, b.loops),
  }
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
