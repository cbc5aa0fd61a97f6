import { LIMITS } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
import type { Clock } from '@storey/kit/clock'
import type { Database, Tx } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { KeyEvent } from '../../key-events.ts'
import { createDenialAggregator, isAggregated } from './aggregate-denials.ts'
import { insertEvents } from './audit.store.ts'

export interface UseBufferOptions {
  control: Database
  clock: Clock
  log: Log
  /** Stores the time of each key's last allowed use. */
  markUsed(tx: Tx, uses: ReadonlyMap<string, Date>): Promise<void>
  /** The time between two writes. A use must be written within one second, so this is well below a second. */
  everyMs?: number
  /** The capacity of the buffer, in rows. */
  maxWaiting?: number
  /** The maximum number of groups of repeated denials of unknown keys. */
  maxUnknown?: number
  /** The maximum number of groups of repeated denials of existing keys. */
  maxKnown?: number
}

const BATCH = 2_000

export type UseBuffer = ReturnType<typeof createUseBuffer>

/**
 * Buffers key uses for the audit log and writes them in batches. Repeated denials become one row with a count, so an
 * unauthenticated client can cause only a limited number of writes and a limited use of memory.
 */
export function createUseBuffer(options: UseBufferOptions) {
  const {
    control,
    clock,
    log,
    markUsed,
    everyMs = 250,
    maxWaiting = 20_000,
    maxUnknown = 500,
    maxKnown = 5_000,
  } = options
  const denials = createDenialAggregator({ windowMs: LIMITS.audit.denialWindowMs, maxUnknown, maxKnown })
  let waiting: KeyEvent[] = []
  // A failed write is retried often, because no key can be used while the buffer is full.
  const loop = createLoop({ name: 'audit-writes', log, run, retry: { firstMs: everyMs, maxMs: 1_000 } })

  async function write(batch: KeyEvent[]): Promise<void> {
    const uses = new Map<string, Date>()
    for (const { keyId, reason, at } of batch) {
      if (keyId === null || reason !== null) continue
      const last = uses.get(keyId)
      if (last === undefined || last < at) uses.set(keyId, at)
    }
    await control.transaction(async (tx) => {
      await insertEvents(tx, batch)
      if (uses.size > 0) await markUsed(tx, uses)
    })
  }

  const isFull = () => waiting.length >= maxWaiting

  async function drain(): Promise<void> {
    if (!isFull()) waiting.push(...denials.take(clock.now().getTime()))
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH)
      await write(batch).catch((err) => {
        waiting = [...batch, ...waiting]
        throw err
      })
    }
  }

  /** Writes the buffered uses, and the repeated denials whose window has ended. */
  async function run(): Promise<number | undefined> {
    await drain()
    return denials.size() > 0 ? everyMs : undefined
  }

  return {
    add(use: KeyEvent): void {
      const row = isAggregated(use) ? denials.add(use, !isFull()) : use
      if (row) waiting.push(row)
      loop.wakeIn(everyMs)
    },
    /** True when the buffer is full. All keys are then refused, because their use could not be recorded. */
    isFull,
    /**
     * Resolves when all uses that were added before are written, or when writing has failed. Repeated denials are
     * written only when their window ends.
     */
    async flush(): Promise<void> {
      await loop.runNow().catch(() => undefined)
    },
    async close(): Promise<void> {
      await loop.stop()
      waiting.push(...denials.take(clock.now().getTime(), true))
      await drain().catch((err) => log.error({ err, lost: waiting.length }, 'key uses not written at shutdown'))
    },
  }
}
