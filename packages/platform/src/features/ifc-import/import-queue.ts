import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { IfcError, readIfcModel } from '@storey/ifc'
import type { Clock } from '@storey/kit/clock'
import { type Database, isNotNow } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { GraphAccess } from '../../graph/open-graph.ts'
import { beginNext, failImport, listWaitingIds, putBack, requeueRunning, type WaitingImport } from './imports.store.ts'
import { fileOf } from './receive-file.ts'
import { type TakeAlong, writeModel } from './run-import.ts'

export interface ImportQueueOptions {
  db: Database
  graph: GraphAccess
  clock: Clock
  log: Log
  takeAlong: TakeAlong
  /** Where the files lie. */
  folder: string
}

export interface ImportQueue {
  readonly folder: string
  /** Goes on with what an earlier process left. Before the first request: what is received later is not looked at. */
  start(): Promise<void>
  /** There is work: it is done in the background, one import at a time. */
  wake(): void
  /** Stops reading; what was begun begins again at the next start. */
  close(): Promise<void>
}

/** A file that has ended the process this often is not tried again. */
const MOST_ATTEMPTS = 2
const RETRY_AFTER_MS = 5_000
/** The reader stands back for everybody else: on a busy machine it takes its time. */
const READING_LIMIT_MS = 15 * 60_000

export function createImportQueue(options: ImportQueueOptions): ImportQueue {
  const { db, graph, clock, log, folder, takeAlong } = options
  const stopped = new AbortController()
  let working: Promise<void> | undefined
  let again = false
  let retry: NodeJS.Timeout | undefined

  async function workOff(): Promise<void> {
    do {
      again = false
      for (let next = await beginNext(db, clock.now()); next; next = await beginNext(db, clock.now())) {
        await runOne(next)
        if (stopped.signal.aborted) return
      }
    } while (again)
  }

  async function runOne(waiting: WaitingImport): Promise<void> {
    const file = fileOf(folder, waiting.id)
    try {
      if (waiting.attempts > MOST_ATTEMPTS) throw new IfcError('Reading the model ended its process, twice')
      const model = await readIfcModel(file, { signal: stopped.signal, timeoutMs: READING_LIMIT_MS })
      const { revision, leftOut } = await writeModel(graph, clock, waiting, model, takeAlong)
      log.info({ importId: waiting.id, revision, leftOut: leftOut.length }, 'a building model was imported')
    } catch (err) {
      if (stopped.signal.aborted) return await putBack(db, waiting.id)
      if (isNotNow(err)) throw err
      if (!(err instanceof IfcError)) log.error({ err, importId: waiting.id }, 'a building model could not be written')
      const reason = err instanceof IfcError ? err.message : 'The model could not be written into the graph'
      await failImport(db, waiting.id, reason, clock.now())
    }
    await rm(file, { force: true })
  }

  function wake(): void {
    if (stopped.signal.aborted) return
    again = true
    working ??= workOff()
      .catch((err) => {
        log.warn({ err }, 'imports wait: the database does not answer')
        retry = setTimeout(() => void requeueRunning(db).then(wake, wake), RETRY_AFTER_MS)
        retry.unref()
      })
      .finally(() => {
        working = undefined
      })
  }

  /** Files that nobody waits for are those of a process that ended while it received them. */
  async function start(): Promise<void> {
    await requeueRunning(db)
    const waiting = new Set((await listWaitingIds(db)).map((id) => fileOf(folder, id)))
    const files = (await readdir(folder).catch(() => [])).map((name) => join(folder, name))
    for (const file of files) if (!waiting.has(file)) await rm(file, { force: true })
    if (waiting.size > 0) wake()
  }

  return {
    folder,
    start,
    wake,
    async close() {
      stopped.abort()
      clearTimeout(retry)
      await working
    },
  }
}
