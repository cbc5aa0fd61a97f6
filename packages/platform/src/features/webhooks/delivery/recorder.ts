import { setTimeout as sleep } from 'node:timers/promises'
import { createLoop } from '@storey/kit/background'
import type { Clock } from '@storey/kit/clock'
import { type Database, isUnavailable } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { type Result, recordResults } from './results.store.ts'

export interface Recorder {
  add(result: Result): void
  /** The number of results that wait to be written. */
  readonly size: number
  /** Resolves when everything added is written or dropped. */
  idle(): Promise<void>
}

export interface RecorderOptions {
  db: Database
  clock: Clock
  log: Log
  onRecorded(results: readonly Result[]): void
}

const MAX_BATCH = 500
/** How long results are collected before they are written together. Nobody waits for them. */
const GATHER_MS = 25
const RETRY = { firstMs: 500, maxMs: 500 }

/** Collects the results for a moment, or during the previous write, and writes up to `MAX_BATCH` in one statement. */
export function createRecorder({ db, clock, log, onRecorded }: RecorderOptions): Recorder {
  const waiting: Result[] = []
  const loop = createLoop({ name: 'webhook-results', log, run, retry: RETRY })

  async function run(): Promise<number | undefined> {
    const batch = waiting.splice(0, MAX_BATCH)
    if (batch.length === 0) return undefined
    try {
      await recordResults(db, batch, clock.now())
      onRecorded(batch)
    } catch (err) {
      if (isUnavailable(err)) {
        // A delivery whose lease has ended may have been sent by somebody else.
        waiting.unshift(...batch.filter(({ leasedUntil }) => leasedUntil > clock.now()))
        throw err
      }
      await recordEach(batch)
    }
    if (waiting.length === 0) return undefined
    return waiting.length < MAX_BATCH ? GATHER_MS : 0
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
      if (waiting.length < MAX_BATCH) loop.wakeIn(GATHER_MS)
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
