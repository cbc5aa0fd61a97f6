import { Worker } from 'node:worker_threads'
import type { FoldingReport } from '@storey/contract'
import { createAdmission } from '@storey/kit/admission'
import type { ClockCheck } from '@storey/kit/clock-check'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { countWaiting } from './compaction.store.ts'
import type { CompactionOrder, CompactionReport, ThreadData } from './messages.ts'
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
/** A thread that has nothing to do is let go. */
const IDLE_MS = 30_000
/** After the start, when whoever woke the stack has been served; then it is looked now and then whether upkeep is due. */
const FIRST_UPKEEP_MS = 10_000
const UPKEEP_EVERY_MS = 10 * 60_000
const RETRY_MS = 2_000
/** Nothing of what waits could be folded: some transaction on the server goes on. */
const UNSETTLED_MS = 500
/**
 * So much may wait before intake waits too: reads go through all of it. Folding keeps up with any rate; it stands still
 * while a transaction goes on that began before, such as the making of another building on the same server.
 */
const MOST_WAITING_BYTES = 128 * 1024 * 1024
const MAX_WAITING_REQUESTS = 128
const MAX_WAIT_MS = 20_000
/** Of the thread's heap: without a bound it takes 140 MB for young objects, and needs 45. */
const resourceLimits = { maxYoungGenerationSizeMb: 32 }

/** Keeps the batches that wait few: a thread folds them as they come, and ends when none come. */
export function createCompaction(options: CompactionOptions): Compaction {
  const { db, databaseUrl, applicationName, clockCheck, log, firstUpkeepMs = FIRST_UPKEEP_MS } = options
  let thread: Worker | undefined
  let timer: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined
  let waitingBytes = 0
  /** With what is being folded. */
  let unfoldedBytes = 0
  const intake = createAdmission({
    capacity: () => (unfoldedBytes < MOST_WAITING_BYTES ? Number.POSITIVE_INFINITY : 0),
    maxWaiting: MAX_WAITING_REQUESTS,
    maxWaitMs: MAX_WAIT_MS,
    refusal: 'More observations wait to be folded than the sandbox can hold',
  })
  let folded = 0
  let isFolding = false
  let upkeep: NodeJS.Timeout | undefined
  let closed = false
  const listeners = new Set<() => void>()

  function order(what: CompactionOrder): void {
    thread ??= launch()
    thread.postMessage(what)
  }

  function launch(): Worker {
    const workerData: ThreadData = { databaseUrl, applicationName }
    const started = new Worker(new URL('./thread.ts', import.meta.url), { workerData, resourceLimits })
    started.on('message', (report: CompactionReport) => (report.type === 'merged' ? rest() : hear(report)))
    started.on('error', (err) => log.error({ err }, 'the thread that folds observations failed'))
    started.on('exit', () => {
      if (thread === started) thread = undefined
      if (isFolding && !closed) hear({ type: 'failed', message: 'the thread ended' })
    })
    return started
  }

  function fold(): void {
    clearTimeout(timer)
    timer = undefined
    if (isFolding || closed) return
    clearTimeout(idle)
    isFolding = true
    waitingBytes = 0
    order('fold')
  }

  function hear(report: Exclude<CompactionReport, { type: 'merged' }>): void {
    isFolding = false
    if (report.type === 'folded') folded += report.count
    for (const listener of listeners) listener()
    if (closed) return
    if (report.type === 'failed') {
      log.warn({ reason: report.message }, 'observations could not be folded yet')
      schedule(RETRY_MS)
      return
    }
    waitingBytes = report.leftBytes
    unfoldedBytes = report.leftBytes
    intake.retry()
    log.debug({ folded: report.count, waitingBytes }, 'observations folded')
    if (waitingBytes >= ENOUGH_BYTES && report.count > 0) {
      fold()
      return
    }
    if (waitingBytes > 0) schedule(report.count > 0 ? WAIT_MS : UNSETTLED_MS)
    rest()
  }

  function rest(): void {
    if (isFolding || closed) return
    clearTimeout(idle)
    idle = setTimeout(() => void end(), IDLE_MS)
    idle.unref()
  }

  function schedule(ms: number): void {
    timer ??= setTimeout(fold, ms)
    timer.unref()
  }

  /** Somebody asked for it: the time need not have been confirmed. */
  async function tidy(): Promise<void> {
    const time = await clockCheck.look().catch(() => undefined)
    if (closed) return
    if (time) order({ forgetAtMs: time.now.getTime(), doneAtMs: time.now.getTime() })
    order('merge')
  }

  async function keepUp(): Promise<void> {
    const time = await clockCheck.look()
    if (time === undefined) return
    const step = nextUpkeep(time, await readUpkeep(db))
    if (closed || step.type === 'none') return
    if (step.type === 'see') return writeSeen(db, step.at)
    order({ forgetAtMs: step.forgetAt.getTime(), doneAtMs: step.at.getTime() })
    order('merge')
  }

  function scheduleUpkeep(ms: number): void {
    upkeep = setTimeout(async () => {
      await keepUp().catch((err) => closed || log.warn({ err }, 'telemetry upkeep failed'))
      if (!closed) scheduleUpkeep(UPKEEP_EVERY_MS)
    }, ms)
    upkeep.unref()
  }

  async function end(): Promise<void> {
    const ending = thread
    thread = undefined
    if (ending === undefined) return
    const ended = new Promise<void>((resolve) => ending.once('exit', () => resolve()))
    ending.postMessage('stop' satisfies CompactionOrder)
    await ended
  }

  return {
    noteBatch(bytes) {
      waitingBytes += bytes
      unfoldedBytes += bytes
      if (waitingBytes >= ENOUGH_BYTES) fold()
      else schedule(WAIT_MS)
    },
    hasRoom: async (signal) => (await intake.enter(0, signal)).leave(),
    async start() {
      const { observations, bytes } = await countWaiting(db)
      unfoldedBytes = bytes
      if (observations > 0) schedule(0)
      // The clocks are compared with how they stand now.
      await clockCheck.look()
      scheduleUpkeep(firstUpkeepMs)
    },
    tidy: () => void tidy(),
    settle: () =>
      new Promise((resolve) => {
        const listen = async () => {
          if ((await countWaiting(db)).observations > 0) return fold()
          listeners.delete(listen)
          resolve()
        }
        listeners.add(listen)
        void listen()
      }),
    async report() {
      const { observations, oldest } = await countWaiting(db)
      return { waiting: observations, oldestAtMs: oldest?.getTime() ?? null, folded }
    },
    async close() {
      closed = true
      clearTimeout(timer)
      clearTimeout(idle)
      clearTimeout(upkeep)
      await end()
    },
  }
}
