import { hostname } from 'node:os'
import { holdFor, isFreeFor, isHeldBy, type Lease, type Queryable, RELEASE, sql, type Tx } from '@storey/kit/database'

const LEADER = 'leader'

/**
 * Reports that this control plane is alive. If `lease` is given and no other control plane holds it, takes or renews
 * it. Returns whether the lease was taken or renewed.
 */
export async function reportAlive(db: Queryable, planeId: string, lease: Lease | undefined): Promise<boolean> {
  const taken =
    lease === undefined
      ? sql`select 1 where false`
      : sql`update control_lease set ${holdFor(lease)} where name = ${LEADER} and ${isFreeFor(lease)} returning 1`
  const row = await db.row<{ leads: boolean }>(sql`
    with seen as (
      insert into control_planes (id, host, pid) values (${planeId}, ${hostname()}, ${process.pid}) on conflict (id) do update set seen_at = now()
    ), taken as (${taken})
    select exists (select from taken) as leads`)
  return row!.leads
}

export async function releaseLease(db: Queryable, lease: Lease): Promise<void> {
  await db.run(sql`update control_lease set ${RELEASE} where name = ${LEADER} and ${isHeldBy(lease)}`)
}

/** Whether the lease is still valid. Until the transaction ends, no other control plane can take it. */
export async function lockLease(tx: Tx, lease: Lease): Promise<boolean> {
  const row = await tx.row(sql`select 1 as held from control_lease
    where name = ${LEADER} and ${isHeldBy(lease)} and leased_until > now() for share`)
  return row !== undefined
}

export async function deletePlane(db: Queryable, planeId: string): Promise<void> {
  await db.run(sql`delete from control_planes where id = ${planeId}`)
}

/** Deletes the rows of control planes that have not reported for this long. */
export async function deleteSilentPlanes(db: Queryable, silentMs: number): Promise<void> {
  await db.run(sql`delete from control_planes where seen_at < now() - ${silentMs} * interval '1 millisecond'`)
}

export async function notify(db: Queryable, channel: string, payload: string): Promise<void> {
  await db.run(sql`select pg_notify(${channel}, ${payload})`)
}
