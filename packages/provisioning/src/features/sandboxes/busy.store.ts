import { type Sql, sql } from '@storey/kit/database'

/** The sandboxes on which this or another process works, and those whose work pauses after a failure. */
export interface Busy {
  ids: readonly string[]
  /** Hashes of the ids of sandboxes for which other processes hold a lock. */
  locks: readonly number[]
}

export const notBusy = ({ ids, locks }: Busy): Sql =>
  sql`id <> all(${ids}) and hashtext(id) <> all(${locks}::integer[])`
