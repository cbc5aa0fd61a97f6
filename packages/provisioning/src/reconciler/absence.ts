import type { Database } from '@storey/kit/database'
import { prolongGraces } from '../features/sandboxes/index.ts'
import { prolongQuarantines } from './leftovers.store.ts'

/** A shorter absence is a restart. */
const MIN_ABSENCE_MS = 3_600_000

/**
 * Time in which no service ran counts neither for the grace periods of expired sandboxes nor for quarantines. The same
 * holds for the time since the backup of a control database that was restored: since then an operator may have restored
 * a sandbox that is expired there, or somebody may have used a quarantined database.
 */
export async function skipAbsence(control: Database, lastTrusted: Date, now: Date): Promise<void> {
  const absentMs = now.getTime() - lastTrusted.getTime()
  if (absentMs < MIN_ABSENCE_MS) return
  await prolongQuarantines(control, absentMs, now)
  await prolongGraces(control, absentMs, now)
}
