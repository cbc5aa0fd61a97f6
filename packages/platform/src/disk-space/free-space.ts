import type { Queryable } from '@storey/kit/database'
import { tablesBytes } from './storage.store.ts'

/** The free space of smaller tables is neither counted nor reclaimed. */
export const LARGE_TABLE_BYTES = 8 * 1024 * 1024

/** Free space within the large tables, which their next rows will use before the files grow. */
export async function freeBytes(db: Queryable): Promise<number> {
  return (await tablesBytes(db, LARGE_TABLE_BYTES)).reduce((sum, { free }) => sum + free, 0)
}
