import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { problems } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { freeBytes, reclaim } from './reclaim.ts'
import { countLeavings, databaseBytes } from './storage.store.ts'

export interface StorageOptions {
  db: Database
  /** Where the stack keeps files. */
  folder: string
  /** 0: no limit. */
  limitMb: number
  log: Log
  everyMs?: number
}

export interface Storage {
  /** Throws QUOTA_EXCEEDED while the sandbox holds more than it may. Looks at a flag: it costs nothing. */
  check(): void
  /** So much is about to be written: after enough of it the next measure is taken soon. */
  note(bytes: number): void
  /** Calls back with each figure that differs from the one before by a megabyte or more. */
  onMeasured(listener: (bytes: number) => void): void
  /** Measures now, and reclaims what can be while it is full. */
  measure(): Promise<void>
  /** Done when there is a first figure. */
  start(): Promise<void>
  close(): Promise<void>
}

const MB = 1024 * 1024
const EVERY_MS = 30_000
/** While it is full: who makes room does not wait long. */
const FULL_EVERY_MS = 5_000
/** Between two tries to make the files smaller while they are too large, but hold room for what comes. */
const RECLAIM_EVERY_MS = 10 * 60_000
const NOTED_BYTES = 16 * MB
const NOTED_PAUSE_MS = 1_000

/**
 * How much the sandbox stores, measured in the background: its files and its database, without the space in tables that
 * deleted rows left and later rows will take.
 */
export function createStorage({ db, folder, limitMb, log, everyMs = EVERY_MS }: StorageOptions): Storage {
  let usedBytes = 0
  let toldBytes = Number.NEGATIVE_INFINITY
  let notedBytes = 0
  const noticeableBytes = Math.min(NOTED_BYTES, (limitMb * MB) / 10)
  let isFull = false
  /** The files are as large as the limit, whatever is free in them. */
  let isAtLimitOnDisk = false
  let triedAtMs = Number.NEGATIVE_INFINITY
  let leavings: number | undefined
  const loop = createLoop({ name: 'storage', log, run, everyMs })
  const listeners: ((bytes: number) => void)[] = []

  async function look(): Promise<void> {
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
    if (Math.abs(usedBytes - toldBytes) < MB) return
    toldBytes = usedBytes
    for (const listener of listeners) listener(usedBytes)
  }

  async function run(signal: AbortSignal): Promise<number> {
    await look()
    if (!signal.aborted && isWorthATry() && (await hasLeavings())) {
      triedAtMs = performance.now()
      await reclaim(db, log)
      await look()
    }
    return isFull ? FULL_EVERY_MS : everyMs
  }

  const isWorthATry = () => isFull || (isAtLimitOnDisk && performance.now() - triedAtMs > RECLAIM_EVERY_MS)

  /** Something was deleted or replaced since the last try. */
  async function hasLeavings(): Promise<boolean> {
    const before = leavings
    leavings = await countLeavings(db)
    return leavings !== before
  }

  return {
    check() {
      if (!isFull) return
      const remedy = 'delete what is no longer needed, keep telemetry for fewer days, or reset the sandbox'
      const detail = `The sandbox takes ${mb(usedBytes)} MB of storage, and ${limitMb} MB are allowed: ${remedy}`
      throw problems.quotaExceeded('storage', limitMb, mb(usedBytes), detail)
    },
    note(bytes) {
      notedBytes += bytes
      if (notedBytes < noticeableBytes || limitMb === 0) return
      notedBytes = 0
      // Not at once: what was announced is being written.
      loop.wakeIn(NOTED_PAUSE_MS)
    },
    onMeasured(listener) {
      listeners.push(listener)
      if (Number.isFinite(toldBytes)) listener(toldBytes)
    },
    measure: loop.runNow,
    async start() {
      await look().catch((err) => log.warn({ err }, 'storage not measured at the start'))
      // What can be reclaimed is, behind that: it may take minutes.
      loop.start()
    },
    close: loop.stop,
  }
}

const mb = (bytes: number): number => Math.round((bytes / MB) * 10) / 10

/** Files may come and go meanwhile. */
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
