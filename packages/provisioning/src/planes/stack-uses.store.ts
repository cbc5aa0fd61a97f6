import { type Queryable, sql } from '@storey/kit/database'

/** How long ago clients of a control plane last used a stack. */
export interface StackUse {
  sandboxId: string
  usedAgoMs: number
  /** How long ago the last use with a valid credential was; null if there was none. */
  calledAgoMs: number | null
}

/** Records uses by the clock of the database server. Uses of sandboxes that do not exist are ignored. */
export async function recordUses(db: Queryable, planeId: string, uses: readonly StackUse[]): Promise<void> {
  await db.run(sql`
    insert into stack_uses (sandbox_id, plane_id, used_at, called_at)
    select u.id, ${planeId}, now() - u.used * interval '1 millisecond', now() - u.called * interval '1 millisecond'
    from unnest(${uses.map((use) => use.sandboxId)}::text[], ${uses.map((use) => use.usedAgoMs)}::float8[],
      ${uses.map((use) => use.calledAgoMs)}::float8[]) as u (id, used, called)
    join sandboxes s on s.id = u.id
    order by u.id
    on conflict (sandbox_id, plane_id) do update set used_at = excluded.used_at,
      called_at = coalesce(excluded.called_at, stack_uses.called_at)`)
}

/** How long ago clients of any control plane last used each of these stacks. */
export async function readUses(db: Queryable, sandboxIds: readonly string[]): Promise<StackUse[]> {
  return await db.rows<StackUse & Record<string, unknown>>(sql`
    select sandbox_id as "sandboxId", min(extract(epoch from now() - used_at) * 1000)::float8 as "usedAgoMs",
      min(extract(epoch from now() - called_at) * 1000)::float8 as "calledAgoMs"
    from stack_uses where sandbox_id = any(${sandboxIds}) group by sandbox_id`)
}

export async function deleteUses(db: Queryable, sandboxId: string): Promise<void> {
  await db.run(sql`delete from stack_uses where sandbox_id = ${sandboxId}`)
}
