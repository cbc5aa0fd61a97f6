import type { Database, Queryable } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { rewrite, tablesBytes, vacuum } from './storage.store.ts'

/** Smaller tables are not worth it. */
const LEAST_BYTES = 8 * 1024 * 1024
/** Of a table: what is less empty than this is left as it is. */
const WORTH_SHARE = 0.3

/** Space within the large tables that their next rows will take, before the files grow. */
export async function freeBytes(db: Queryable): Promise<number> {
  return (await tablesBytes(db, LEAST_BYTES)).reduce((sum, { free }) => sum + free, 0)
}

/**
 * Makes the space of deleted rows free for others, and gives back to the disk what a table has too much of: PostgreSQL
 * keeps such space for later rows of the same table, so without this the files would stay as large as they ever were.
 */
export async function reclaim(db: Database, log: Log): Promise<void> {
  for (const { name } of await tablesBytes(db, LEAST_BYTES)) await vacuum(db, name)
  for (const { name, bytes, free } of await tablesBytes(db, LEAST_BYTES)) {
    if (free < bytes * WORTH_SHARE) continue
    await rewrite(db, name)
    const after = (await tablesBytes(db, 0)).find((table) => table.name === name)
    log.info({ table: name, beforeBytes: bytes, afterBytes: after?.bytes }, 'table rewritten to reclaim storage')
  }
}
