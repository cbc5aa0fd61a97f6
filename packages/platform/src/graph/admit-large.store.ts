import { type Queryable, type Sql, sql } from '@storey/kit/database'

/** Waits until there is memory for this many bytes. */
export type Admit = (bytes: number) => Promise<void>

/** A page of at most this many nodes needs no check. */
const SMALL_PAGE = 100
/** An ordinary node takes fewer bytes in storage. A large polygon takes more, although the database compresses it. */
const ORDINARY_BYTES = 1_500

export interface LargePage {
  /** Selects the nodes of the page in the column `state`. */
  states: Sql
  limit: number
  /** How much memory the nodes take, as a multiple of the length of their texts. */
  timesInMemory: number
}

/**
 * Waits for memory if the nodes of a page are large: 1,000 polygons of 2,000 corners are up to 110 MB of JSON. The
 * sizes in storage are known without reading the nodes. So the texts of the nodes are measured only if the nodes are
 * large in storage.
 */
export async function admitLarge(db: Queryable, { states, limit, timesInMemory }: LargePage, admit: Admit) {
  if (limit <= SMALL_PAGE) return
  const stored = await db.row<{ count: number; bytes: number }>(
    sql`select count(*) as count, coalesce(sum(pg_column_size(state)), 0) as bytes from (${states}) as page`,
  )
  if (stored!.bytes <= ORDINARY_BYTES * stored!.count) return
  const row = await db.row<{ bytes: number }>(
    sql`select sum(octet_length(state::text)) as bytes from (${states}) as page`,
  )
  await admit(timesInMemory * row!.bytes)
}
