import type { Log } from '../log.ts'
import { recordRun } from './runs.ts'

export interface OutcomesOptions {
  /** The name in log lines and metrics, such as `webhook-delivery`. */
  name: string
  log: Log
  /** The pause after a failure. It doubles with each further failure, up to `maxMs`. */
  retry?: { firstMs: number; maxMs: number }
  /**
   * True for expected failures, such as an unavailable database, which are logged as warnings. Other failures are
   * logged as errors. Absent: all failures are expected.
   */
  isExpected?(err: unknown): boolean
}

/**
 * The outcomes of work that is repeated: a loop, or one item of a loop that works on many. They are counted, and a
 * series of failures is one log line at its start and one at its end.
 */
export interface Outcomes {
  succeeded(): void
  /** Returns the pause before the next attempt, in milliseconds. */
  failed(err: unknown): number
}

/** With these pauses a loop runs again within ten seconds after the database is back. */
const RETRY = { firstMs: 500, maxMs: 5_000 }

export function createOutcomes({ name, log, retry = RETRY, isExpected = () => true }: OutcomesOptions): Outcomes {
  let failures = 0
  return {
    succeeded() {
      recordRun(name, true)
      if (failures > 0) log.info({ loop: name, failures }, 'background work recovered')
      failures = 0
    },
    failed(err) {
      recordRun(name, false)
      const retryInMs = Math.min(retry.firstMs * 2 ** Math.min(failures++, 30), retry.maxMs)
      const level = failures > 1 ? 'debug' : isExpected(err) ? 'warn' : 'error'
      log[level]({ err, loop: name, retryInMs }, 'background work failed, retrying')
      return retryInMs
    },
  }
}
