import type { Queryable } from '@storey/kit/database'
import { tablesBytes } from './storage.store.ts'

/** The free space of smaller tables is neither counted nor reclaimed. */
export const LARGE_TABLE_BYTES = 8 * 1024 * 1024

/** The free space inside the files of large tables. New rows use it before the files grow. */
export async function freeBytes(db: Queryable): Promise<number> {
  return (await tablesBytes(db, LARGE_TABLE_BYTES)).reduce((sum, { free }) => sum + free, 0)
}
