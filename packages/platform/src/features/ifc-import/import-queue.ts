import { randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '@storey/contract'
import type { IfcModel } from '@storey/ifc'
import { createLoop } from '@storey/kit/background'
import type { Clock } from '@storey/kit/clock'
import { type Database, isUnavailable } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { activeSpan, errorType, inSpan } from '@storey/kit/tracing'
import type { GraphAccess } from '../../graph/index.ts'
import { fetchFile } from './import-files.store.ts'
import {
  failImport,
  type ImportLease,
  LeaseLost,
  leaseNext,
  listWaitingIds,
  renewLease,
  requeue,
  untilNextLeaseEnds,
  type WaitingImport,
} from './imports.store.ts'
import { fileOf } from './receive-file.ts'
import { type DetachData, writeModel } from './write-model.ts'

export interface ImportQueueOptions {
  db: Database
  graph: GraphAccess
  clock: Clock
  log: Log
  detachData: DetachData
  /** The folder of the uploaded files. */
  folder: string
  /** Whether files are kept in the database, because other processes serve the sandbox too. */
  keepsFilesInDatabase?: boolean
  leaseMs?: number
  /** Eight hexadecimal digits that change when the control plane starts, but not when only this process restarts. */
  serviceRun: string
}

export interface ImportQueue {
  readonly folder: string
  readonly keepsFilesInDatabase: boolean
  /** Continues the imports of an earlier process, and deletes files without an import. Call before the first upload. */
  start(): Promise<void>
  /** Starts the work in the background, one import at a time. */
  wake(): void
  /** How many imports wait or run. */
  waiting(): Promise<number>
  /** Aborts the running import, which starts again in the next process. */
  close(): Promise<void>
}

/** After this many attempts during which the stack ended, the import fails. */
const MAX_ATTEMPTS = 2
/**
 * The maximum number of attempts in a cluster, where a process is also killed for reasons that have nothing to do with
 * the file.
 */
const MAX_SHARED_ATTEMPTS = 5
/** How long a lease lasts, and so how long an import waits at most after its process died. */
const LEASE_MS = 30_000
/** The time limit for reading a model. It is long, since the reader runs at a low priority. */
const READING_LIMIT_MS = 15 * 60_000
/** How often a process in a cluster looks for imports to run, such as those whose process has ended. */
const SHARED_EVERY_MS = 10_000
/** The failure reasons that the caller gets instead of an unexpected error. The error is logged. */
const NOT_READ = 'The model could not be read because of an internal error'
const NOT_WRITTEN = 'The model could not be written into the graph'

/** The database is unavailable, or other large edits took too long. The import is tried again. */
const isTemporary = (err: unknown) => isUnavailable(err) || (err instanceof Problem && err.code === 'NOT_READY')

export function createImportQueue(options: ImportQueueOptions): ImportQueue {
  const { db, graph, clock, log, folder, detachData, leaseMs = LEASE_MS } = options
  const { serviceRun, keepsFilesInDatabase = false } = options
  const holder = serviceRun + randomUUID().slice(serviceRun.length)
  const lease: ImportLease = { serviceRun, holder, durationMs: leaseMs }
  const loop = createLoop({
    ...{ name: 'imports', log, run, isExpected: isTemporary },
    ...(keepsFilesInDatabase ? { everyMs: SHARED_EVERY_MS } : {}),
  })
  /** A model that was read but not written because the database became unavailable. */
  let unwritten: { id: string; model: IfcModel } | undefined

  async function run(signal: AbortSignal): Promise<number | undefined> {
    for (;;) {
      const next = await leaseNext(db, lease, clock.now())
      // Another process may have taken over the import of the model.
      if (next?.id !== unwritten?.id) unwritten = undefined
      if (!next) return (await untilNextLeaseEnds(db)) ?? undefined
      await underLease(next, signal)
      if (signal.aborted) return undefined
    }
  }

  /** Runs an import and renews its lease. The import is aborted when the queue stops, and when the lease is lost. */
  async function underLease(next: WaitingImport, stopped: AbortSignal): Promise<void> {
    const lost = new AbortController()
    const renewal = createLoop({
      name: 'import-lease',
      log,
      everyMs: leaseMs / 3,
      async run() {
        if (!(await renewLease(db, next.id, lease))) lost.abort(new LeaseLost())
      },
    })
    renewal.start(leaseMs / 3)
    try {
      const attributes = { 'storey.import.id': next.id, 'storey.building.id': next.buildingId }
      await inSpan({ name: 'import building model', attributes }, () =>
        runOne(next, AbortSignal.any([stopped, lost.signal])),
      )
    } catch (err) {
      if (stopped.aborted) await requeue(db, next.id, lease)
      else if (lost.signal.aborted || err instanceof LeaseLost) {
        unwritten = undefined
        log.warn({ importId: next.id }, 'import lease lost, left to the process that holds it')
      } else throw err
    } finally {
      await renewal.stop()
    }
  }

  async function runOne(waiting: WaitingImport, signal: AbortSignal): Promise<void> {
    const { id } = waiting
    const file = fileOf(folder, id)
    // Most stacks import no model, and start faster without the reader.
    const { IfcError } = await import('@storey/ifc')
    try {
      const maxAttempts = keepsFilesInDatabase ? MAX_SHARED_ATTEMPTS : MAX_ATTEMPTS
      if (waiting.attempts > maxAttempts)
        throw new IfcError(
          `The import was interrupted ${maxAttempts === 2 ? 'twice' : `${maxAttempts} times`}, because the stack ended while it ran`,
        )
      const model = unwritten?.id === id ? unwritten.model : await readModel(id, file, signal)
      unwritten = { id, model }
      const { revision, leftOut } = await writeModel(graph, clock, waiting, lease, model, detachData)
      log.info({ importId: id, revision, leftOut: leftOut.length }, 'building model imported')
    } catch (err) {
      if (signal.aborted || isTemporary(err) || err instanceof LeaseLost) throw err
      if (!(err instanceof IfcError || err instanceof Problem))
        log.error({ err, importId: id }, 'building model not imported')
      activeSpan()?.fail(errorType(err))
      const reason =
        err instanceof IfcError || err instanceof Problem ? err.message : unwritten?.id === id ? NOT_WRITTEN : NOT_READ
      await failImport(db, id, lease, reason, clock.now())
    }
    unwritten = undefined
    await rm(file, { force: true })
  }

  /** Reads the model of an import. A file that was fetched from the database is deleted as soon as it is read. */
  async function readModel(id: string, file: string, signal: AbortSignal): Promise<IfcModel> {
    const { readIfcModel } = await import('@storey/ifc')
    const onKilled = () => log.warn({ importId: id }, 'reader of a building model was killed')
    const isFetched = keepsFilesInDatabase && (await fetchFile(db, id, file))
    try {
      return await readIfcModel(file, { signal, timeoutMs: READING_LIMIT_MS, onKilled })
    } finally {
      if (isFetched) await rm(file, { force: true })
    }
  }

  /**
   * Deletes files without a waiting import (a process ended while it received the file, or before it deleted the file),
   * and continues waiting imports.
   */
  async function start(): Promise<void> {
    const waiting = new Set((await listWaitingIds(db)).map((id) => fileOf(folder, id)))
    const files = (await readdir(folder).catch(() => [])).map((name) => join(folder, name))
    for (const file of files) if (!waiting.has(file)) await rm(file, { force: true })
    if (keepsFilesInDatabase) loop.start()
    else if (waiting.size > 0) loop.wake()
  }

  const waiting = async () => (await listWaitingIds(db)).length

  return { folder, keepsFilesInDatabase, start, wake: loop.wake, waiting, close: loop.stop }
}
