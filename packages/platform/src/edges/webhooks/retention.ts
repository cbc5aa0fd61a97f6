import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { deleteEvents, deleteOldDeliveries, deleteOrphans, readWebhookIds } from './retention.store.ts'

export interface Retention {
  /** Attempts were written. */
  note(webhookIds: Iterable<string>, count: number): void
  start(): void
  /** Deletes all that is no longer kept. */
  tidy(): Promise<void>
  close(): Promise<void>
}

const A_STEP = 500
/** So many attempts are written before old ones are looked for; fewer wait until the time is up. */
const ENOUGH = 2_000
const EVERY_MS = 60_000
/** Events without deliveries are few, and finding them means looking at all. */
const ORPHANS_EVERY = 60

/** Attempts are kept as long as they are listed, and so is what they are of. */
export function createRetention(db: Database, log: Log): Retention {
  let touched = new Set<string>()
  let count = 0
  let rounds = 0
  let timer: NodeJS.Timeout | undefined
  let tidying: Promise<void> | undefined
  let closed = false

  async function deleteOld(webhookIds: Iterable<string>): Promise<void> {
    for (const id of webhookIds) {
      for (let found = A_STEP; found === A_STEP && !closed; ) {
        const eventIds = await deleteOldDeliveries(db, id, A_STEP)
        if (eventIds.length > 0) await deleteEvents(db, eventIds)
        found = eventIds.length
      }
    }
  }

  async function deleteUntold(): Promise<void> {
    while (!closed && (await deleteOrphans(db, A_STEP)) === A_STEP);
  }

  function begin(work: () => Promise<void>): Promise<void> {
    if (closed) return Promise.resolve()
    tidying ??= work()
      .catch((err) => log.warn({ err }, 'old deliveries could not be deleted yet'))
      .finally(() => {
        tidying = undefined
      })
    return tidying
  }

  function deleteTouched(): Promise<void> {
    const ids = touched
    touched = new Set()
    count = 0
    return deleteOld(ids)
  }

  const deleteAll = async () => {
    await deleteOld(await readWebhookIds(db))
    await deleteUntold()
  }

  return {
    note(webhookIds, more) {
      for (const id of webhookIds) touched.add(id)
      count += more
      if (count >= ENOUGH) void begin(deleteTouched)
    },
    start() {
      void begin(deleteAll)
      timer = setInterval(() => {
        rounds++
        void begin(rounds % ORPHANS_EVERY === 0 ? deleteAll : deleteTouched)
      }, EVERY_MS)
      timer.unref()
    },
    async tidy() {
      await tidying
      await begin(deleteAll)
    },
    async close() {
      closed = true
      clearInterval(timer)
      await tidying
    },
  }
}
