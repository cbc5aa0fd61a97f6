import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { listLargeTables, rewrite, tableBytes, vacuum } from './storage.store.ts'

/** Smaller tables are not worth it. */
const LEAST_BYTES = 8 * 1024 * 1024
/** Of a table: what is less empty than this is left as it is. */
const WORTH_SHARE = 0.3

/**
 * Gives back to the disk what deleted rows took. PostgreSQL keeps such space for later rows of the same table, so
 * without this a sandbox that is full would stay so, whatever is deleted. Tells whether a table was written anew.
 */
export async function reclaim(db: Database, log: Log): Promise<boolean> {
  let isSmaller = false
  for (const table of await listLargeTables(db, LEAST_BYTES)) {
    await vacuum(db, table)
    const { bytes, needed } = await tableBytes(db, table)
    if (bytes < LEAST_BYTES || bytes - needed < bytes * WORTH_SHARE) continue
    await rewrite(db, table)
    const after = await tableBytes(db, table)
    log.info({ table, beforeBytes: bytes, afterBytes: after.bytes }, 'table rewritten to reclaim storage')
    isSmaller = true
  }
  return isSmaller
}
