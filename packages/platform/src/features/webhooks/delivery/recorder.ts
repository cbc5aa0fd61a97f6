import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
import type { Clock } from '@storey/kit/clock'
import { type Database, isUnavailable } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { deleteDelivered, type Result, recordResults } from './results.store.ts'
import { splitResults } from './split-results.ts'

export interface Recorder {
  add(result: Result): void
  /** The number of results that wait to be written. */
  readonly size: number
  /** Resolves when all added results are written or dropped. */
  idle(): Promise<void>
}

export interface RecorderOptions {
  db: Database
  clock: Clock
  log: Log
  /**
   * Called after each write with the results that were given to `recordResults`, including those that it skipped. Not
   * called with results whose deliveries were deleted instead.
   */
  onRecorded(results: readonly Result[]): void
}

const MAX_BATCH = 2_000
/** How long results are collected before they are written together. No request waits for this. */
const GATHER_MS = 25
/**
 * How long results are collected while there are many. Only attempts that can be listed are stored, so a larger write
 * stores a smaller share of its results.
 */
const GATHER_MANY_MS = 250
const MANY = LIMITS.webhook.attemptsListed
const RETRY = { firstMs: 500, maxMs: 500 }

/**
 * Collects the results for a moment, or during the previous write, and then writes up to `MAX_BATCH` together. The
 * write also pauses webhooks that keep failing (`pause.store.ts`).
 */
export function createRecorder({ db, clock, log, onRecorded }: RecorderOptions): Recorder {
  const waiting: Result[] = []
  let gatherMs = GATHER_MS
  const loop = createLoop({ name: 'webhook-results', log, run, retry: RETRY })

  async function run(): Promise<number | undefined> {
    const batch = waiting.splice(0, MAX_BATCH)
    if (batch.length === 0) return undefined
    gatherMs = batch.length > MANY ? GATHER_MANY_MS : GATHER_MS
    try {
      await record(batch)
    } catch (err) {
      if (isUnavailable(err)) {
        // Results whose lease has ended are dropped, because another process may have sent their deliveries again.
        waiting.unshift(...batch.filter(({ leasedUntil }) => leasedUntil > clock.now()))
        throw err
      }
      await recordEach(batch)
    }
    if (waiting.length === 0) return undefined
    return waiting.length < MAX_BATCH ? gatherMs : 0
  }

  /** Can be repeated after a failure: results that are already written are skipped. */
  async function record(batch: readonly Result[]): Promise<void> {
    const { listed, unlisted } = splitResults(batch)
    await recordResults(db, listed, clock.now())
    onRecorded(listed)
    if (unlisted.length > 0) await deleteDelivered(db, unlisted)
  }

  /** One result that cannot be written must not block the others. Its delivery is sent again. */
  async function recordEach(batch: readonly Result[]): Promise<void> {
    for (const result of batch) {
      try {
        await recordResults(db, [result], clock.now())
        onRecorded([result])
      } catch (err) {
        log.error({ err, deliveryId: result.deliveryId }, 'delivery result not written')
      }
    }
  }

  return {
    add(result) {
      waiting.push(result)
      if (waiting.length < MAX_BATCH) loop.wakeIn(gatherMs)
      else loop.wake()
    },
    get size() {
      return waiting.length
    },
    async idle() {
      await loop.idle()
      while (waiting.length > 0) await loop.runNow().catch(() => sleep(RETRY.firstMs))
    },
  }
}
