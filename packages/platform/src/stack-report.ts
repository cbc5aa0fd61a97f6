import type { FoldingReport, StackReport } from '@storey/contract'
import type { Admission } from '@storey/kit/admission'
import { readRuns } from '@storey/kit/background'
import type { Database } from '@storey/kit/database'
import { createLastKnown } from '@storey/kit/last-known'
import type { OpenBus } from './bus/index.ts'
import type { ImportQueue } from './features/ifc-import/index.ts'
import type { Compaction } from './features/telemetry/index.ts'
import type { Dispatcher } from './features/webhooks/index.ts'
import type { GraphAccess } from './graph/index.ts'
import type { Live } from './live/index.ts'
import type { Memory } from './memory.ts'

export interface StackReportParts {
  db: Database
  bus: OpenBus
  graph: GraphAccess
  compaction: Compaction
  webhooks: Dispatcher
  imports: ImportQueue
  live: Live
  memory: Memory
  admission: Admission
}

/** How long a report waits for the database. The control plane waits longer for the report. */
const DATABASE_LIMIT_MS = 1_000

const NO_FOLDING: FoldingReport = { waiting: 0, oldestAtMs: null, folded: 0 }
const NO_WEBHOOKS = { due: 0, oldestDueAtMs: null, failing: 0 }

/** The figures of a stack for the operator. They are reported even while the database does not answer. */
export function createStackReport(parts: StackReportParts): () => Promise<StackReport> {
  const { db, bus, graph, compaction, webhooks, imports, live, memory, admission } = parts
  const readStored = createLastKnown(
    async () => ({
      folding: await compaction.report(),
      webhooks: await webhooks.figures(),
      importsWaiting: await imports.waiting(),
    }),
    DATABASE_LIMIT_MS,
  )
  return async () => {
    const { value, isCurrent } = await readStored()
    const { bytesInUse, waiting, refused } = admission.report()
    return {
      folding: value?.folding ?? NO_FOLDING,
      requests: { rssBytes: memory.rssBytes(), bytesInUse, waiting, refused },
      queues: { folding: compaction.queue(), edits: graph.report() },
      isDatabaseUp: isCurrent,
      pool: db.connections(),
      webhooks: { ...(value?.webhooks ?? NO_WEBHOOKS), ...webhooks.attempts() },
      importsWaiting: value?.importsWaiting ?? 0,
      liveConnections: live.connections(),
      isNatsConnected: bus.isConnected(),
      loops: readRuns(),
    }
  }
}
