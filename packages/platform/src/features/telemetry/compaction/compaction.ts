import type { FoldingReport } from '@storey/contract'
import { createAdmission } from '@storey/kit/admission'
import { createLoop } from '@storey/kit/background'
import type { ClockCheck } from '@storey/kit/clock-check'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { countWaiting } from './compaction.store.ts'
import { createCompactionThread } from './compaction-thread.ts'
import { readUpkeep, writeSeen } from './upkeep.store.ts'
import { nextUpkeep } from './upkeep.ts'

export interface Compaction {
  /** A batch of so many bytes was committed, and waits. */
  noteBatch(bytes: number): void
  /** Goes on with what an earlier process left. */
  start(): Promise<void>
  /** Resolves while little waits, or when that is so again. Rejects with NOT_READY when it takes too long. */
  hasRoom(signal: AbortSignal): Promise<void>
  /** Puts closed days together, and lets old ones go. */
  tidy(): void
  /** Folds all that waits; done when it is folded. */
  settle(): Promise<void>
  report(): Promise<FoldingReport>
  close(): Promise<void>
}

export interface CompactionOptions {
  db: Database
  databaseUrl: string
  applicationName: string
  /** Old days are deleted only while the clocks agree. */
  clockCheck: ClockCheck
  log: Log
  firstUpkeepMs?: number
}

/** So much is folded at once, three quarters of a million numbers, or fewer texts; less waits until the time is up. */
const ENOUGH_BYTES = 12 * 1024 * 1024
const WAIT_MS = 5_000
/** After the start, when whoever woke the stack has been served; later it is checked now and then whether it is due. */
const FIRST_UPKEEP_MS = 10_000
const UPKEEP_EVERY_MS = 10 * 60_000
const RETRY = { firstMs: 1_000, maxMs: 5_000 }
/** Nothing of what waits could be folded: some transaction on the server goes on. */
const BLOCKED_MS = 500
/**
 * So much may wait before intake waits too: reads go through all of it. Folding keeps up with any rate; it stands still
 * while a transaction goes on that began before, such as the seeding of another building on the same server.
 */
const MAX_WAITING_BYTES = 128 * 1024 * 1024
const MAX_WAITING_REQUESTS = 128
const MAX_WAIT_MS = 20_000

/** Keeps the batches that wait few: a thread folds them as they come, and ends when none come. */
export function createCompaction(options: CompactionOptions): Compaction {
  const { db, databaseUrl, applicationName, clockCheck, log, firstUpkeepMs = FIRST_UPKEEP_MS } = options
  const thread = createCompactionThread({ databaseUrl, applicationName }, log)
  const folding = createLoop({ name: 'telemetry-folding', log, run: fold, retry: RETRY })
  const upkeep = createLoop({ name: 'telemetry-upkeep', log, run: keepUp, everyMs: UPKEEP_EVERY_MS })
  let waitingBytes = 0
  /** With what is being folded. */
  let unfoldedBytes = 0
  const intake = createAdmission({
    capacity: () => (unfoldedBytes < MAX_WAITING_BYTES ? Number.POSITIVE_INFINITY : 0),
    maxWaiting: MAX_WAITING_REQUESTS,
    maxWaitMs: MAX_WAIT_MS,
    refusal: 'More observations wait to be folded than the sandbox can hold',
  })
  let folded = 0
  let isFolding = false
  let isUpkeepAsked = false

  async function fold(): Promise<number | undefined> {
    isFolding = true
    waitingBytes = 0
    try {
      const { count, leftBytes } = (await thread.run({ kind: 'fold' }))!
      folded += count
      waitingBytes = leftBytes
      unfoldedBytes = leftBytes
      intake.retry()
      log.debug({ folded: count, waitingBytes }, 'observations folded')
      if (leftBytes === 0) return undefined
      if (count === 0) return BLOCKED_MS
      return leftBytes >= ENOUGH_BYTES ? 0 : WAIT_MS
    } finally {
      isFolding = false
    }
  }

  async function keepUp(): Promise<void> {
    const isAsked = isUpkeepAsked
    const time = await clockCheck.compare()
    if (time !== undefined) {
      // Somebody asked for it: then the time need not have been confirmed.
      const known = isAsked ? undefined : await readUpkeep(db)
      const step = nextUpkeep(isAsked ? { ...time, mayRemove: true } : time, known)
      if (step.type === 'none') return
      if (step.type === 'see') return await writeSeen(db, step.at)
      await thread.run({ kind: 'forget', forgetAtMs: step.forgetAt.getTime(), doneAtMs: step.at.getTime() })
    } else if (!isAsked) return
    await thread.run({ kind: 'merge' })
    isUpkeepAsked = false
  }

  return {
    noteBatch(bytes) {
      waitingBytes += bytes
      unfoldedBytes += bytes
      if (isFolding) return
      if (waitingBytes >= ENOUGH_BYTES) folding.wake()
      else folding.wakeIn(WAIT_MS)
    },
    hasRoom: async (signal) => (await intake.enter(0, signal)).leave(),
    async start() {
      const { observations, bytes } = await countWaiting(db)
      unfoldedBytes = bytes
      if (observations > 0) folding.wake()
      // The clocks are compared with how they stand now.
      await clockCheck.compare()
      upkeep.start(firstUpkeepMs)
    },
    tidy() {
      isUpkeepAsked = true
      upkeep.wake()
    },
    async settle() {
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
