/**
 * The thread that folds batches, merges the pieces of each day, and deletes old days. It shares no memory with the
 * thread that serves requests.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { collectGarbage } from '@storey/kit/collect-garbage'
import { openDatabase, TIME_LIMITS } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { compact, mergeClosedDays, mergeDays } from './compact.ts'
import { adoptBatches, countWaiting } from './compaction.store.ts'
import { createFoldBuffers } from './fold-buffers.ts'
import type { CompactionTask, Folded, FromThread, TaskResult, ThreadData, ToThread } from './messages.ts'
import { PieceCounts } from './piece-counts.ts'
import { writeDone } from './retention.store.ts'
import { deleteOldDays } from './retention.ts'

const { databaseUrl, applicationName } = workerData as ThreadData
const db = openDatabase({
  ...{ url: databaseUrl, log: silentLog, applicationName, maxConnections: 1 },
  limits: TIME_LIMITS.long,
  // If the database is replaced, the thread that serves requests ends the process.
  onReplaced: () => undefined,
})

/** Garbage is collected at the latest when this many observations have been folded since the last collection. */
const COLLECT_AFTER = 50_000

const counts = new PieceCounts()
const buffers = createFoldBuffers()
/** The number of observations that were folded since the last garbage collection. */
let uncollected = 0
let adopted = false
let working: Promise<void> = Promise.resolve()
let merging: AsyncGenerator<void> | undefined
let stopping = false

async function fold(): Promise<Folded> {
  if (!adopted) await adoptBatches(db)
  adopted = true
  // Batches that arrive during this fold are left for a later fold, which folds many batches together: many small
  // pieces (rows of `observation_chunks`) cost more than few large pieces.
  const { observations: count, crowded } = await compact(db, counts, buffers)
  await mergeDays(db, crowded, counts, buffers, () => stopping)
  uncollected += count
  // Frees the buffers of the rows that were read and written. After small folds this would take longer than the folds.
  if (uncollected >= COLLECT_AFTER || crowded.length > 0) {
    collectGarbage()
    uncollected = 0
  }
  const { bytes: leftBytes } = await countWaiting(db)
  return { count, leftBytes }
}

/** Does one step of merging the pieces of the days that are over. */
async function merge(): Promise<TaskResult> {
  merging ??= mergeClosedDays(db, new Date(), buffers)
  try {
    const { done } = await merging.next()
    if (!done) return { isUnfinished: true }
    merging = undefined
    return {}
  } catch (err) {
    merging = undefined
    throw err
  }
}

async function run(task: CompactionTask): Promise<TaskResult> {
  if (task.kind === 'fold') return { folded: await fold() }
  if (task.kind === 'merge') return await merge()
  await deleteOldDays(db, new Date(task.asOfMs))
  await writeDone(db, new Date(task.doneAtMs))
  return {}
}

async function answer(id: number, task: CompactionTask): Promise<FromThread> {
  try {
    return { id, result: await run(task) }
  } catch (err) {
    return { id, error: err instanceof Error ? err.message : String(err) }
  }
}

async function stop(): Promise<void> {
  await db.close()
  parentPort!.close()
}

parentPort!.on('message', (message: ToThread) => {
  if (message === 'stop') stopping = true
  working = working.then(async () => {
    if (message === 'stop') await stop()
    else parentPort!.postMessage(await answer(message.id, message.task))
  })
})
