import { type Sql, sql } from './sql.ts'

/**
 * Work that survives a process is held by a lease: the columns `lease_holder` and `leased_until` of its row, by the
 * server's clock. Whoever holds it renews it in time; the lease of a process that died ends by itself, and the next one
 * takes the row.
 */
export interface Lease {
  /** One for each process. */
  holder: string
  durationMs: number
}

/** A lease that ends much later than anybody's could was taken by a clock that stood ahead, and is nobody's. */
export const isFreeFor = ({ holder, durationMs }: Lease): Sql =>
  sql`(leased_until is null or leased_until <= now() or lease_holder = ${holder}
    or leased_until > now() + 2 * ${durationMs} * interval '1 millisecond')`

export const isHeldBy = ({ holder }: Lease): Sql => sql`lease_holder = ${holder}`

/** For `set`: takes the lease, or renews it. */
export const holdFor = ({ holder, durationMs }: Lease): Sql =>
  sql`lease_holder = ${holder}, leased_until = now() + ${durationMs} * interval '1 millisecond'`

/** For `set`. */
export const RELEASE: Sql = sql`lease_holder = null, leased_until = null`
