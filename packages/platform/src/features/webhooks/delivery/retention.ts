import { createLoop } from '@storey/kit/background'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { deleteEvents, deleteOldDeliveries, deleteOrphans, readWebhookIds } from './retention.store.ts'

export interface Retention {
  /** Notes how many attempts were written, and for which webhooks. */
  note(webhookIds: Iterable<string>, count: number): void
  start(): void
  /**
   * Immediately deletes all ended deliveries of which the API lists no attempt any more, and all events without
   * deliveries.
   */
  deleteExpired(): Promise<void>
  close(): Promise<void>
}

const BATCH = 500
/** Old deliveries are deleted after this many new attempts, and at the latest after `EVERY_MS`. */
const DELETE_AFTER_ATTEMPTS = 2_000
const EVERY_MS = 60_000
/**
 * How often all webhooks are checked, and events without deliveries are deleted. There are few such events, but the
 * search for them reads the whole table.
 */
const FULL_EVERY_MS = 3_600_000

/**
 * Keeps a delivery, with its attempts and its event, while it is pending or one of its attempts is listed: the API
 * lists the last `LIMITS.webhook.attemptsListed` attempts of a webhook.
 */
export function createRetention(db: Database, log: Log): Retention {
  const touched = new Set<string>()
  let count = 0
  let fullAt = Number.NEGATIVE_INFINITY
  const loop = createLoop({ name: 'webhook-retention', log, run, everyMs: EVERY_MS })

  async function run(signal: AbortSignal): Promise<void> {
    const isFull = performance.now() >= fullAt
    const ids = isFull ? await readWebhookIds(db) : [...touched]
    count = 0
    for (const id of ids) {
      touched.delete(id)
      await deleteOld(id, signal).catch((err) => {
        touched.add(id)
        throw err
      })
    }
    if (!isFull) return
    while (!signal.aborted && (await deleteOrphans(db, BATCH)) === BATCH);
    fullAt = performance.now() + FULL_EVERY_MS
  }

  async function deleteOld(webhookId: string, signal: AbortSignal): Promise<void> {
    for (let found = BATCH; found === BATCH && !signal.aborted; ) {
      const eventIds = await deleteOldDeliveries(db, webhookId, BATCH)
      if (eventIds.length > 0) await deleteEvents(db, eventIds)
      found = eventIds.length
    }
  }

  return {
    note(webhookIds, more) {
      for (const id of webhookIds) touched.add(id)
      count += more
      if (count >= DELETE_AFTER_ATTEMPTS) loop.wake()
    },
    start: () => loop.start(),
    async deleteExpired() {
      fullAt = Number.NEGATIVE_INFINITY
      await loop.runNow()
    },
    close: () => loop.stop(),
  }
}
