import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { LARGE_TABLE_BYTES } from './free-space.ts'
import { rewrite, tablesBytes, vacuum } from './storage.store.ts'

/** Tables with a smaller share of free space are not rewritten. */
const MIN_FREE_SHARE = 0.3

/**
 * Frees the space of deleted rows in large tables, and rewrites tables with much free space. PostgreSQL keeps free
 * space for later rows of the same table: without a rewrite, a file shrinks only if its last pages are empty.
 */
export async function reclaim(db: Database, log: Log): Promise<void> {
  for (const { name } of await tablesBytes(db, LARGE_TABLE_BYTES)) await vacuum(db, name)
  for (const { name, bytes, free } of await tablesBytes(db, LARGE_TABLE_BYTES)) {
    if (free < bytes * MIN_FREE_SHARE) continue
    await rewrite(db, name)
    const after = (await tablesBytes(db, 0)).find((table) => table.name === name)
    log.info({ table: name, beforeBytes: bytes, afterBytes: after?.bytes }, 'table rewritten to reclaim storage')
  }
}
