import type { CheckedTime } from '@storey/kit/clock-check'
import type { Database } from '@storey/kit/database'
import { readSettings } from '../../../settings.store.ts'
import { deleteDaysBefore, type RetentionTimes } from './retention.store.ts'

const DAY_MS = 86_400_000
const EVERY_MS = 3_600_000
/** A recorded time is used for a deletion once it is at least this long ago. */
const CONFIRMED_MS = 10 * 60_000

export type RetentionStep =
  /** Nothing to do: days were deleted within the last hour. */
  | { type: 'none' }
  /** The time is recorded for a later process. */
  | { type: 'record'; at: Date }
  /** Days that are too old as of `asOf` are deleted. Then the other days that are over are merged. */
  | { type: 'delete'; asOf: Date; at: Date }

/**
 * The next step. A process that just started cannot know whether the clocks are right: until its clock and that of the
 * database server have agreed for long enough (`mayRemove`), it does not use the current time to decide which days are
 * too old. It uses a time that was recorded at least `CONFIRMED_MS` ago, usually by an earlier process.
 */
export function nextRetention({ now, mayRemove }: CheckedTime, known: RetentionTimes | undefined): RetentionStep {
  const since = (at: Date) => now.getTime() - at.getTime()
  // A time ahead of now was recorded while the clock was wrong.
  if (known?.doneAt && since(known.doneAt) >= 0 && since(known.doneAt) < EVERY_MS) return { type: 'none' }
  if (mayRemove) return { type: 'delete', asOf: now, at: now }
  if (known && since(known.seenAt) >= CONFIRMED_MS) return { type: 'delete', asOf: known.seenAt, at: now }
  const seen = known && since(known.seenAt) >= 0 ? known.seenAt : now
  return { type: 'record', at: seen }
}

/**
 * Deletes days older than the retention of the tenant: its setting `telemetryRetentionDays`, null if all days are kept.
 * A day of a point is one row or a few, so this is quick.
 */
export async function deleteOldDays(db: Database, now: Date): Promise<number> {
  const { telemetryRetentionDays: days } = await readSettings(db)
  if (days === null) return 0
  const first = new Date(now.getTime() - (days - 1) * DAY_MS).toISOString().slice(0, 10)
  return deleteDaysBefore(db, first)
}
