import { type Sql, sql } from './sql.ts'

/**
 * Work that outlives a process has a row with a lease: the columns `lease_holder` and `leased_until`. The statements
 * compare `leased_until` with the database server's clock. The process that does the work holds the lease, and renews
 * it. The lease of a dead process expires, and another process takes the row.
 */
export interface Lease {
  /** Identifies the process that holds the lease. */
  holder: string
  durationMs: number
}

/**
 * The condition that this holder may take a row: its lease is free, has expired or is the holder's own. A lease that
 * ends implausibly late was taken while the clock was ahead, and counts as free.
 */
export const isFreeFor = ({ holder, durationMs }: Lease): Sql =>
  sql`(leased_until is null or leased_until <= now() or lease_holder = ${holder}
    or leased_until > now() + 2 * ${durationMs} * interval '1 millisecond')`

export const isHeldBy = ({ holder }: Lease): Sql => sql`lease_holder = ${holder}`

/** The assignments of an `update … set` that takes or renews the lease. */
export const holdFor = ({ holder, durationMs }: Lease): Sql =>
  sql`lease_holder = ${holder}, leased_until = now() + ${durationMs} * interval '1 millisecond'`

/** The assignments of an `update … set` that releases the lease. */
export const RELEASE: Sql = sql`lease_holder = null, leased_until = null`
