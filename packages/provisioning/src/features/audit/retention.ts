import { LIMITS } from '@storey/contract'
import type { ClockCheck } from '@storey/kit/clock-check'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { removeOldEvents } from './audit.store.ts'

export interface RetentionOptions {
  control: Database
  clockCheck: ClockCheck
  log: Log
}

const EVERY_MS = 600_000
const BATCH = 5_000

/** Removes every audit row past its time, a batch in a transaction, and tells how many there were. */
export async function removeOldRows({ control, clockCheck }: Omit<RetentionOptions, 'log'>): Promise<number> {
  const time = await clockCheck.look()
  if (!time?.mayRemove) return 0
  let total = 0
  for (;;) {
    const removed = await control.transaction((tx) =>
      removeOldEvents(tx, time.now, LIMITS.audit.retentionMonths, BATCH),
    )
    total += removed
    if (removed < BATCH) return total
  }
}

/** Looks at the start and every ten minutes: a look that finds nothing is one step into an index. */
export function keepRetention(options: RetentionOptions) {
  let looking: Promise<unknown> = Promise.resolve()
  const look = () => {
    looking = removeOldRows(options).catch((err) => options.log.warn({ err }, 'old audit rows could not be removed'))
  }
  look()
  const timer = setInterval(look, EVERY_MS).unref()
  return {
    async close(): Promise<void> {
      clearInterval(timer)
      await looking
    },
  }
}
