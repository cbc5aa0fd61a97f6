import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@storey/kit/clock'
import { type Database, isUnavailable } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { type Result, recordResults } from './results.store.ts'

export interface Recorder {
  add(result: Result): void
  /** How many wait. */
  readonly size: number
  /** All that was added is written, or given up. */
  settled(): Promise<void>
}

export interface RecorderOptions {
  db: Database
  clock: Clock
  log: Log
  onRecorded(results: readonly Result[]): void
}

const MOST_AT_ONCE = 500
/** Results are gathered for so long. Nobody waits for them to be written. */
const GATHER_MS = 25
const RETRY_MS = 500

/** One statement writes all results that came while the one before it was written. */
export function createRecorder({ db, clock, log, onRecorded }: RecorderOptions): Recorder {
  const waiting: Result[] = []
  let recording: Promise<void> | undefined

  async function record(): Promise<void> {
    while (waiting.length > 0) {
      if (waiting.length < MOST_AT_ONCE) await sleep(GATHER_MS)
      const batch = waiting.splice(0, MOST_AT_ONCE)
      try {
        await recordResults(db, batch, clock.now())
        onRecorded(batch)
      } catch (err) {
        if (isUnavailable(err)) await keep(batch)
        else await recordEach(batch)
      }
    }
    // Here, and not when the promise is heard of: a result that came in between would lie there.
    recording = undefined
  }

  /** Until the server is there again, as long as nobody else may have sent them. */
  async function keep(batch: readonly Result[]): Promise<void> {
    await sleep(RETRY_MS)
    waiting.unshift(...batch.filter(({ leasedUntil }) => leasedUntil > clock.now()))
  }

  /** So that one which cannot be written does not take the others along. Its delivery is made again. */
  async function recordEach(batch: readonly Result[]): Promise<void> {
    for (const result of batch) {
      try {
        await recordResults(db, [result], clock.now())
        onRecorded([result])
      } catch (err) {
        log.error({ err, deliveryId: result.deliveryId }, 'what came of a delivery could not be written')
      }
    }
  }

  return {
    add(result) {
      waiting.push(result)
      recording ??= record()
    },
    get size() {
      return waiting.length
    },
    settled: async () => recording,
  }
}
