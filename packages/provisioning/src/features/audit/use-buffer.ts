import { LIMITS } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
import type { Clock } from '@storey/kit/clock'
import type { Database, Tx } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { KeyEvent } from '../../key-events.ts'
import { insertEvents } from './audit.store.ts'
import { createDenialFold, isFolded } from './fold-denials.ts'

export interface UseBufferOptions {
  control: Database
  clock: Clock
  log: Log
  /** Keeps the time of each key's last allowed use. */
  markUsed(tx: Tx, uses: ReadonlyMap<string, Date>): Promise<void>
  /** Well below the second within which a use has to be written. */
  everyMs?: number
  /** From this many waiting uses on it is full. */
  most?: number
  /** Different denials that are told apart at a time, of keys that nobody has, and of those that exist. */
  maxUnknown?: number
  maxKnown?: number
}

const BATCH = 2_000

export type UseBuffer = ReturnType<typeof createUseBuffer>

/**
 * Uses of keys on their way to the audit: a request leaves its row here, and the rows are written some at a time.
 * Denials that repeat are counted, so what a stranger can make it hold and write has a bound.
 */
export function createUseBuffer(options: UseBufferOptions) {
  const { control, clock, log, markUsed, everyMs = 250, most = 20_000, maxUnknown = 500, maxKnown = 5_000 } = options
  const denials = createDenialFold({ windowMs: LIMITS.audit.repeatsMs, maxUnknown, maxKnown })
  let waiting: KeyEvent[] = []
  // Soon after the database is back: while the buffer is full no key may be used.
  const loop = createLoop({ name: 'audit-writes', log, run: drain, everyMs, retry: { firstMs: everyMs, maxMs: 1_000 } })

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

  const isFull = () => waiting.length >= most

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

  loop.start(everyMs)
  return {
    add(use: KeyEvent): void {
      const row = isFolded(use) ? denials.add(use, !isFull()) : use
      if (row) waiting.push(row)
    },
    /** True when no more can be taken: then no key may be used, for its use would leave no trace. */
    isFull,
    /** Resolves when everything that was added before is written, or cannot be. */
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
