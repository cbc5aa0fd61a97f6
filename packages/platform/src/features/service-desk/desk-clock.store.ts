import { sql, type Tx } from '@storey/kit/database'

/**
 * The time of a change: now, but later than any earlier change. The row of the desk's clock is locked until the
 * transaction ends, so that changes become visible in the order of their times.
 */
export async function advanceClock(tx: Tx, now: Date): Promise<Date> {
  const row = await tx.row<{ at: Date }>(sql`
    update service_desk_clock set last_at = greatest(${now}, last_at + interval '1 millisecond')
    returning last_at as at`)
  return row!.at
}

/** Reserves `count` further times, a millisecond apart, for other changes in the same transaction. */
export async function reserveTimes(tx: Tx, count: number): Promise<void> {
  await tx.run(sql`update service_desk_clock set last_at = last_at + ${count} * interval '1 millisecond'`)
}
