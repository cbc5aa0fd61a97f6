import type { CheckedTime } from '@storey/kit/clock-check'
import type { Database, Tx } from '@storey/kit/database'
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
  /** Throws if another control plane leads now. Called in the transaction that changes rows. */
  fence?(tx: Tx): Promise<void>
}

/** Clocks that differ by less are regarded as equal. */
const TOLERANCE_MS = 60_000

/**
 * An expired sandbox becomes invisible immediately; its data is removed after the grace period. An expiry by a clock that
 * was ahead is undone.
 */
export async function expire(
  deps: ExpireDeps,
  time: CheckedTime,
  abortWork: (sandboxId: string) => void,
): Promise<void> {
  const { log, stopStack, onChange } = deps
  const { expired, restored } = await changeRows(deps, time)
  for (const { id, slug } of expired) {
    log.info({ sandboxId: id, slug }, 'sandbox expired')
    abortWork(id)
    onChange(slug)
    stopStack(id).catch((err) => log.error({ err, sandboxId: id }, 'could not stop stack of expired sandbox'))
  }
  for (const { id, slug } of restored) {
    log.warn({ sandboxId: id, slug }, 'sandbox restored, a clock that was ahead had expired it')
    onChange(slug)
  }
}

/** A process that was frozen has an old time: it must not restore what another one has expired since. */
async function changeRows({ control, expiryGraceMs, fence }: ExpireDeps, { now, mayExpire, mayRemove }: CheckedTime) {
  if (!mayExpire && !mayRemove) return { expired: [], restored: [] }
  return await control.transaction(async (tx) => {
    await fence?.(tx)
    const expired = mayExpire ? await startExpired(tx, now) : []
    const restored = mayExpire ? await undoExpired(tx, new Date(now.getTime() + TOLERANCE_MS)) : []
    if (mayRemove) await startPurge(tx, new Date(now.getTime() - expiryGraceMs), now)
    return { expired, restored }
  })
}
