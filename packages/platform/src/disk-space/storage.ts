import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { problems } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { freeBytes } from './free-space.ts'
import { reclaim } from './reclaim.ts'
import { countDeadRows, countWrittenRows, databaseBytes } from './storage.store.ts'

export interface StorageOptions {
  db: Database
  /** The folder with the files of the stack. */
  folder: string
  /** 0: no limit. */
  limitMb: number
  log: Log
  everyMs?: number
  retryMs?: number
}

export interface Storage {
  /** Throws QUOTA_EXCEEDED while the sandbox exceeds its quota. It only reads a flag. */
  check(): void
  /** Notes the size of a write that is about to happen. After enough bytes the storage is measured again soon. */
  note(bytes: number): void
  /**
   * Calls the listener with the last reported size, if a size was reported, and then with each measured size that
   * differs from the last reported size by a megabyte or more.
   */
  onMeasured(listener: (bytes: number) => void): void
  /** Measures now. Can also reclaim free space, if the files exceed the quota and rows were deleted or replaced. */
  measure(): Promise<void>
  /** Resolves after the first measurement. */
  start(): Promise<void>
  close(): Promise<void>
}

const MB = 1024 * 1024
const EVERY_MS = 30_000
/** The interval while the quota is exceeded. It is short, so that deletions take effect soon. */
const FULL_EVERY_MS = 5_000
/** How often to reclaim while the files exceed the quota, but only because of the free space in them. */
const RECLAIM_EVERY_MS = 10 * 60_000
/**
 * The pause after a failed attempt to reclaim. It is long, because other queries of a table wait while an attempt waits
 * for the lock of the table.
 */
const RETRY_MS = 60_000
const WRITTEN_BYTES = 16 * MB
const WRITTEN_PAUSE_MS = 1_000

/**
 * Measures in the background how much the sandbox stores: its files and its database, without the free space in tables,
 * because later rows will use this space.
 */
export function createStorage(options: StorageOptions): Storage {
  const { db, folder, limitMb, log, everyMs = EVERY_MS, retryMs = RETRY_MS } = options
  let usedBytes = 0
  let reportedBytes = Number.NEGATIVE_INFINITY
  let writtenBytes = 0
  const remeasureBytes = Math.min(WRITTEN_BYTES, (limitMb * MB) / 10)
  let isFull = false
  /** The files exceed the limit, including the free space in them. */
  let isAtLimitOnDisk = false
  let reclaimedAtMs = Number.NEGATIVE_INFINITY
  /** Whether the last attempt to reclaim space failed. */
  let hasFailed = false
  let deadRows: number | undefined
  /** The number of written rows before the last measurement; undefined if a request has written since. */
  let writtenRows: number | undefined
  const loop = createLoop({ name: 'storage', log, run, everyMs })
  const listeners: ((bytes: number) => void)[] = []

  async function measureOnce(): Promise<void> {
    const diskBytes = (await databaseBytes(db)) + (await folderBytes(folder))
    usedBytes = diskBytes - (await freeBytes(db))
    isAtLimitOnDisk = limitMb > 0 && diskBytes >= limitMb * MB
    const wasFull = isFull
    isFull = limitMb > 0 && usedBytes >= limitMb * MB
    if (isFull !== wasFull) {
      log.warn(
        { usedMb: mb(usedBytes), limitMb },
        isFull ? 'storage quota exceeded' : 'storage quota no longer exceeded',
      )
    }
    if (Math.abs(usedBytes - reportedBytes) < MB) return
    reportedBytes = usedBytes
    for (const listener of listeners) listener(usedBytes)
  }

  async function run(signal: AbortSignal): Promise<number> {
    const before = writtenRows
    writtenRows = await countWrittenRows(db)
    if (writtenRows === before && !isAtLimitOnDisk) return everyMs
    await measureOnce().catch((err) => {
      writtenRows = undefined
      throw err
    })
    if (!signal.aborted && shouldReclaim() && (await hasDeadRows())) {
      await reclaimOnce()
      await measureOnce()
    }
    return isFull ? FULL_EVERY_MS : everyMs
  }

  async function reclaimOnce(): Promise<void> {
    reclaimedAtMs = performance.now()
    hasFailed = true
    await reclaim(db, log)
    hasFailed = false
  }

  function shouldReclaim(): boolean {
    if (!isAtLimitOnDisk) return false
    const pauseMs = hasFailed ? retryMs : isFull ? 0 : RECLAIM_EVERY_MS
    return performance.now() - reclaimedAtMs >= pauseMs
  }

  /** Whether the last attempt to reclaim space failed, or rows were deleted or replaced after it. */
  async function hasDeadRows(): Promise<boolean> {
    const before = deadRows
    deadRows = await countDeadRows(db)
    return deadRows !== before || hasFailed
  }

  return {
    check() {
      if (!isFull) return
      const remedy = 'delete what is no longer needed, keep telemetry for fewer days, or reset the sandbox'
      const detail = `The sandbox takes ${mb(usedBytes)} MB of storage, and ${limitMb} MB are allowed: ${remedy}`
      throw problems.quotaExceeded('storage', limitMb, mb(usedBytes), detail)
    },
    note(bytes) {
      writtenRows = undefined
      writtenBytes += bytes
      if (writtenBytes < remeasureBytes || limitMb === 0) return
      writtenBytes = 0
      // Waits a moment, because the write has only begun.
      loop.wakeIn(WRITTEN_PAUSE_MS)
    },
    onMeasured(listener) {
      listeners.push(listener)
      if (Number.isFinite(reportedBytes)) listener(reportedBytes)
    },
    measure() {
      writtenRows = undefined
      return loop.runNow()
    },
    async start() {
      await measureOnce().catch((err) => log.warn({ err }, 'storage not measured at the start'))
      // Reclaiming may take minutes, so it runs in the background. If nothing has to be reclaimed, the first run is
      // half an interval later. Then it does not coincide with other background work, and one connection is enough for
      // all background work.
      loop.start(isAtLimitOnDisk ? 0 : everyMs / 2)
    },
    close: loop.stop,
  }
}

const mb = (bytes: number): number => Math.round((bytes / MB) * 10) / 10

/** The size of all files. A file or folder that disappears while the sizes are read counts as empty. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const sizes = entries.map(async (entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return await folderBytes(path)
    return entry.isFile()
      ? await stat(path).then(
          ({ size }) => size,
          () => 0,
        )
      : 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
