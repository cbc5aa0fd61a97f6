import type { Database, Tx } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { KeyEvent } from '../../key-events.ts'
import { insertEvents } from './audit.store.ts'

export interface UseBufferOptions {
  control: Database
  log: Log
  /** Keeps the time of each key's last allowed use. */
  markUsed(tx: Tx, uses: ReadonlyMap<string, Date>): Promise<void>
  /** Well below the second within which a use has to be written. */
  everyMs?: number
  /** From this many waiting uses on it is full. */
  most?: number
  /** Anyone can invent keys: of those no more than this many are written at a time, and the rest is counted. */
  mostUnknown?: number
}

const BATCH = 2_000

export type UseBuffer = ReturnType<typeof createUseBuffer>

/** Uses of keys on their way to the audit: a request leaves its row here, and the rows are written some at a time. */
export function createUseBuffer(options: UseBufferOptions) {
  const { control, log, markUsed, everyMs = 250, most = 20_000, mostUnknown = 500 } = options
  let waiting: KeyEvent[] = []
  let unknown = 0
  let unwritten = 0
  let failing = false
  let flushing: Promise<void> | undefined

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

  async function drain(): Promise<void> {
    if (unwritten > 0) log.warn({ count: unwritten }, 'more unknown keys were tried than the audit takes')
    unknown = unwritten = 0
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH)
      try {
        await write(batch)
        failing = false
      } catch (err) {
        waiting = [...batch, ...waiting]
        if (!failing) log.error({ err }, 'uses of keys cannot be written; they are kept and tried again')
        failing = true
        return
      }
    }
  }

  function flush(): Promise<void> {
    flushing ??= drain().finally(() => {
      flushing = undefined
    })
    return flushing
  }

  const timer = setInterval(() => void flush(), everyMs).unref()
  return {
    add(use: KeyEvent): void {
      if (use.organizationId !== null || ++unknown <= mostUnknown) waiting.push(use)
      else unwritten++
    },
    /** True when no more can be taken: then no key may be used, for its use would leave no trace. */
    isFull: () => waiting.length >= most,
    /** Resolves when everything that was added before is written, or cannot be. */
    async flush(): Promise<void> {
      await flushing
      await flush()
    },
    async close(): Promise<void> {
      clearInterval(timer)
      await flushing
      await flush()
    },
  }
}
