import type { CheckedTime } from '@storey/kit/clock-check'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { startExpired, startPurge, undoExpired } from '../features/sandboxes/index.ts'

export interface ExpireDeps {
  control: Database
  log: Log
  /** How long an expired sandbox can be restored. */
  expiryGraceMs: number
  stopStack(sandboxId: string): Promise<void>
  /** Called when the state of a sandbox changed. */
  onChange(slug: string): void
}

/** Clocks that differ by less are regarded as equal. */
const TOLERANCE_MS = 60_000

/**
 * An expired sandbox becomes invisible immediately; its data is removed after the grace period. An expiry by a clock that
 * was ahead is undone.
 */
export async function expire(
  { control, log, expiryGraceMs, stopStack, onChange }: ExpireDeps,
  { now, mayExpire, mayRemove }: CheckedTime,
  abortWork: (sandboxId: string) => void,
): Promise<void> {
  for (const { id, slug } of mayExpire ? await startExpired(control, now) : []) {
    log.info({ sandboxId: id, slug }, 'sandbox expired')
    abortWork(id)
    onChange(slug)
    stopStack(id).catch((err) => log.error({ err, sandboxId: id }, 'could not stop stack of expired sandbox'))
  }
  for (const { id, slug } of mayExpire ? await undoExpired(control, new Date(now.getTime() + TOLERANCE_MS)) : []) {
    log.warn({ sandboxId: id, slug }, 'sandbox restored, a clock that was ahead had expired it')
    onChange(slug)
  }
  if (mayRemove) await startPurge(control, new Date(now.getTime() - expiryGraceMs), now)
}
