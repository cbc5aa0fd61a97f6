import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { collectGarbage } from '../../collect-garbage.ts'
import { compact, forget, mergeClosedDays, mergeDays } from './compact.ts'
import { adoptBatches, countWaiting } from './compaction.store.ts'
import type { CompactionOrder, CompactionReport, ForgetOrder, ThreadData } from './messages.ts'
import { PieceCounts } from './piece-counts.ts'
import { writeDone } from './upkeep.store.ts'

/** The thread that folds: it shares nothing with the one that answers requests but the machine. */
const { databaseUrl, applicationName } = workerData as ThreadData
const db = openDatabase({ url: databaseUrl, log: silentLog, applicationName, maxConnections: 1 })
const tell = (report: CompactionReport) => parentPort!.postMessage(report)

const counts = new PieceCounts()
let adopted = false
let working: Promise<void> = Promise.resolve()
let stopping = false

async function fold(): Promise<void> {
  try {
    if (!adopted) await adoptBatches(db)
    adopted = true
    // What comes meanwhile waits until there is enough of it: many small pieces cost more than few large ones.
    const { observations: count, crowded } = await compact(db, counts)
    await mergeDays(db, crowded, () => stopping)
    // 40 MB of buffers, in some 10 ms.
    collectGarbage()
    const { bytes: leftBytes } = await countWaiting(db)
    tell({ type: 'folded', count, leftBytes })
  } catch (err) {
    tell({ type: 'failed', message: err instanceof Error ? err.message : String(err) })
  }
}

async function forgetOld({ forgetAtMs, doneAtMs }: ForgetOrder): Promise<void> {
  try {
    await forget(db, new Date(forgetAtMs))
    await writeDone(db, new Date(doneAtMs))
  } catch (err) {
    tell({ type: 'failed', message: err instanceof Error ? err.message : String(err) })
  }
}

async function mergeAll(): Promise<void> {
  try {
    for (let more = 1; more > 0 && !stopping; ) more = await mergeClosedDays(db, new Date())
    tell({ type: 'merged' })
  } catch (err) {
    tell({ type: 'failed', message: err instanceof Error ? err.message : String(err) })
  }
}

parentPort!.on('message', (order: CompactionOrder) => {
  if (order === 'stop') stopping = true
  working = working.then(async () => {
    if (order === 'fold') await fold()
    if (order === 'merge') await mergeAll()
    if (typeof order === 'object') await forgetOld(order)
    if (order === 'stop') {
      await db.close()
      parentPort!.close()
    }
  })
})
