import type { Database } from '@storey/kit/database'
import { keepDatabases, keepExpired } from '../features/sandboxes/index.ts'
import { prolongQuarantines } from './leftovers.store.ts'

/** A shorter absence counts as a restart, because the last trusted time is recorded only once a minute. */
const MIN_ABSENCE_MS = 3 * 60_000

/**
 * Time in which the service did not run counts neither towards the grace periods of expired sandboxes nor towards
 * quarantines. If the control database was restored from a backup, the time since that backup does not count either:
 * in that time, somebody may have extended a sandbox, an operator may have restored a sandbox that is expired in the
 * backup, or somebody may have used a quarantined database. For the same reason, removals, creations and resets that
 * were requested more than three minutes before this start do not drop a complete database.
 */
export async function skipAbsence(control: Database, lastTrusted: Date, now: Date): Promise<void> {
  const absentMs = now.getTime() - lastTrusted.getTime()
  if (absentMs < MIN_ABSENCE_MS) return
  await prolongQuarantines(control, absentMs, now)
  await keepExpired(control, absentMs, now)
  await keepDatabases(control, new Date(now.getTime() - MIN_ABSENCE_MS))
}
