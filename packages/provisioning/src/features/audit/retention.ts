import { LIMITS } from '@storey/contract'
import { createLoop, type Loop } from '@storey/kit/background'
import type { ClockCheck } from '@storey/kit/clock-check'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { AUDIT_TABLES, removeOldEvents } from './audit.store.ts'

export interface RetentionOptions {
  control: Database
  clockCheck: ClockCheck
  log: Log
  /** Whether this control plane is the leader. Only the leader deletes expired rows. */
  isLeader(): boolean
}

const EVERY_MS = 600_000
const BATCH = 5_000

/** Deletes expired audit rows, one batch per transaction, and returns their number. */
export async function removeOldRows({
  control,
  clockCheck,
}: Pick<RetentionOptions, 'control' | 'clockCheck'>): Promise<number> {
  const time = await clockCheck.compare()
  if (!time?.mayRemove) return 0
  let total = 0
  for (const table of AUDIT_TABLES) {
    const expired = { table, now: time.now, months: LIMITS.audit.retentionMonths }
    let removed: number
    do {
      removed = await control.transaction((tx) => removeOldEvents(tx, expired, BATCH))
      total += removed
    } while (removed === BATCH)
  }
  return total
}

/** Deletes expired rows periodically. A run that finds none costs an index lookup in each table. */
export function startRetention({ log, isLeader, ...options }: RetentionOptions): Pick<Loop, 'stop'> {
  const run = async () => {
    if (isLeader()) await removeOldRows(options)
  }
  const loop = createLoop({ name: 'audit-retention', log, everyMs: EVERY_MS, run })
  loop.start()
  return loop
}
