import { setTimeout as sleep } from 'node:timers/promises'
import type { FoldingReport, QueueReport } from '@storey/contract'
import { createAdmission } from '@storey/kit/admission'
import { createLoop } from '@storey/kit/background'
import type { ClockCheck } from '@storey/kit/clock-check'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { inSpan } from '@storey/kit/tracing'
import { countWaiting } from './compaction.store.ts'
import { createCompactionThread } from './compaction-thread.ts'
import { forgetDone, readRetention, writeSeen } from './retention.store.ts'
import { nextRetention } from './retention.ts'

/**
 * Observations are accepted unless too many wait to be folded. Requests of clients wait then, and the simulation sends
 * nothing.
 */
export interface FoldingCapacity {
  isFree(): boolean
  /** Resolves when `isFree()` is true. Rejects with NOT_READY if that takes too long, or if too many requests wait. */
  wait(signal: AbortSignal): Promise<void>
}

export interface Compaction {
  /** Call when a batch was committed. `bytes` is the memory that folding it takes. */
  noteBatch(bytes: number): void
  /** Starts the upkeep, and the folding of batches that an earlier process has not folded. */
  start(): Promise<void>
  readonly capacity: FoldingCapacity
  /** The requests that wait for `capacity`, and those that were refused. */
  queue(): QueueReport
  /** Merges days that are over and deletes old days, even if the last deletion was less than an hour ago. */
  runUpkeep(): void
  /** Folds everything that waits; resolves when it is folded. */
  idle(): Promise<void>
  report(): Promise<FoldingReport>
  close(): Promise<void>
}

export interface CompactionOptions {
  db: Database
  databaseUrl: string
  applicationName: string
  /** Old days are deleted only while the clocks of this process and of the database server agree. */
  clockCheck: ClockCheck
  log: Log
  firstUpkeepMs?: number
}

/**
 * This many waiting bytes (2 million numbers, or fewer texts) are folded immediately. Fewer bytes wait for `WAIT_MS`. A
 * fold writes at least one row for each point, however few observations the point has: folds of half as many bytes take
 * 15 % more CPU time for each observation, and folds of more bytes take more memory (`MAX_BATCH_BYTES`).
 */
const ENOUGH_BYTES = 36 * 1024 * 1024
const WAIT_MS = 5_000
/** The first upkeep is delayed, so that the request that woke the stack is served first. */
const FIRST_UPKEEP_MS = 10_000
const UPKEEP_EVERY_MS = 10 * 60_000
/**
 * While clients send observations, merging pauses after each step for this multiple of the step's duration. Merging the
 * days that are over is not urgent, and takes nearly as much CPU time as the ingest of these days.
 */
const MERGE_PAUSE = 9
const RETRY = { firstMs: 1_000, maxMs: 5_000 }
/**
 * When to try again if nothing could be folded, because an older transaction on the server is still running, or because
 * another process is folding.
 */
const BLOCKED_MS = 500
/**
 * Above this many waiting bytes, clients and the simulation wait, since every read scans all waiting batches.
 * Folding keeps up with any rate, but cannot proceed while an older transaction is running, such as the seeding of
 * another building on the same server.
 */
const MAX_WAITING_BYTES = 128 * 1024 * 1024
const MAX_WAITING_REQUESTS = 128
const MAX_WAIT_MS = 20_000

/** Keeps the number of waiting batches small: a thread folds them as they come, and ends when it is idle. */
export function createCompaction(options: CompactionOptions): Compaction {
  const { db, databaseUrl, applicationName, clockCheck, log, firstUpkeepMs = FIRST_UPKEEP_MS } = options
  const thread = createCompactionThread({ databaseUrl, applicationName }, log)
  const folding = createLoop({ name: 'telemetry-folding', log, run: fold, retry: RETRY })
  const upkeep = createLoop({ name: 'telemetry-upkeep', log, run: doUpkeep, everyMs: UPKEEP_EVERY_MS })
  let waitingBytes = 0
  /** Bytes that wait, including those that are being folded. */
  let unfoldedBytes = 0
  const intake = createAdmission({
    capacity: () => (unfoldedBytes < MAX_WAITING_BYTES ? Number.POSITIVE_INFINITY : 0),
    maxWaiting: MAX_WAITING_REQUESTS,
    maxWaitMs: MAX_WAIT_MS,
    refusal: 'Too many observations wait to be processed',
  })
  let folded = 0
  let isFolding = false
  /** Whether a batch was committed after the last fold began. The fold has possibly not counted this batch. */
  let isNoted = false
  /** Whether a batch was committed since the last step of merging began. */
  let isBusy = false
  let isUpkeepRequested = false
  /** Whether an upkeep was requested since the current one began. */
  let isUpkeepDue = false

  async function fold(): Promise<number | undefined> {
    isFolding = true
    isNoted = false
    waitingBytes = 0
    try {
      const { count, leftBytes } = await inSpan({ name: 'fold observations' }, async (span) => {
        const { folded } = await thread.run({ kind: 'fold' })
        span?.set({ 'storey.observations.folded': folded!.count })
        return folded!
      })
      folded += count
      waitingBytes = leftBytes
      unfoldedBytes = leftBytes
      intake.retry()
      log.debug({ folded: count, waitingBytes }, 'observations folded')
      if (leftBytes === 0) return isNoted ? WAIT_MS : undefined
      if (count === 0) return BLOCKED_MS
      return leftBytes >= ENOUGH_BYTES ? 0 : WAIT_MS
    } finally {
      isFolding = false
    }
  }

  async function doUpkeep(signal: AbortSignal): Promise<void> {
    isUpkeepDue = false
    if (isUpkeepRequested) await forgetDone(db)
    const time = await clockCheck.compare()
    if (time === undefined) return
    const step = nextRetention(time, await readRetention(db))
    if (step.type === 'none') return
    if (step.type === 'record') return await writeSeen(db, step.at)
    // Until the clocks have agreed for long enough (`mayRemove`), the age of days is computed from an earlier, recorded
    // time. In that case `isUpkeepRequested` stays true, so that a later run computes the age from the current time.
    if (time.mayRemove) isUpkeepRequested = false
    await thread.run({ kind: 'delete-days', asOfMs: step.asOf.getTime(), doneAtMs: step.at.getTime() })
    await mergeClosedDays(signal)
  }

  /** Merges in steps, because merging takes minutes after a long time under load, and folds must not wait that long. */
  async function mergeClosedDays(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !isUpkeepDue) {
      isBusy = false
      const startedAtMs = performance.now()
      const { isUnfinished } = await thread.run({ kind: 'merge' })
      if (!isUnfinished) return
      if (!isBusy) continue
      const pauseMs = MERGE_PAUSE * (performance.now() - startedAtMs)
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  return {
    noteBatch(bytes) {
      waitingBytes += bytes
      unfoldedBytes += bytes
      isNoted = true
      isBusy = true
      if (isFolding) return
      if (waitingBytes >= ENOUGH_BYTES) folding.wake()
      else folding.wakeIn(WAIT_MS)
    },
    capacity: {
      isFree() {
        const admitted = intake.enterNow(0)
        admitted?.leave()
        return admitted !== undefined
      },
      wait: async (signal) => (await intake.enter(0, { signal })).leave(),
    },
    queue() {
      const { waiting, refused } = intake.report()
      return { waiting, refused }
    },
    async start() {
      const { observations, bytes } = await countWaiting(db)
      unfoldedBytes = bytes
      if (observations > 0) folding.wake()
      // The first comparison is made now, since the clocks must agree for a while before something is deleted.
      await clockCheck.compare()
      upkeep.start(firstUpkeepMs)
    },
    runUpkeep() {
      isUpkeepRequested = true
      isUpkeepDue = true
      upkeep.wake()
    },
    async idle() {
      while ((await countWaiting(db)).observations > 0) await folding.runNow()
    },
    async report() {
      const { observations, oldest } = await countWaiting(db)
      return { waiting: observations, oldestAtMs: oldest?.getTime() ?? null, folded }
    },
    async close() {
      await Promise.all([folding.stop(), upkeep.stop(), thread.close()])
    },
  }
}
