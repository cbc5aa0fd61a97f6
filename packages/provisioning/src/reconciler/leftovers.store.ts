import { type Queryable, sql } from '@storey/kit/database'

/** Returns those of the ids that this control database records as ids of removed sandboxes. */
export async function listRemoved(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.rows<{ id: string }>(sql`select id from removed_sandboxes where id = any(${ids})`)
  return new Set(rows.map(({ id }) => id))
}

/** The id of a sandbox and the id of a server. Together they identify a leftover. */
export interface LeftoverName {
  id: string
  serverId: string
}

export interface QuarantineRow extends LeftoverName {
  firstSeenAt: Date
}

export async function listQuarantine(db: Queryable, ids: readonly string[]): Promise<QuarantineRow[]> {
  return await db.rows<QuarantineRow & Record<string, unknown>>(
    sql`select id, server_id as "serverId", first_seen_at as "firstSeenAt" from leftovers where id = any(${ids})`,
  )
}

/** Makes `names` the leftovers in quarantine on these servers, and returns those that were not in quarantine before. */
export async function syncQuarantine(
  db: Queryable,
  servers: readonly string[],
  names: readonly LeftoverName[],
  now: Date,
): Promise<LeftoverName[]> {
  const found = sql`unnest(${names.map(({ id }) => id)}::text[], ${names.map(({ serverId }) => serverId)}::text[])`
  return await db.rows<LeftoverName & Record<string, unknown>>(sql`
    with gone as (delete from leftovers where server_id = any(${servers})
      and not exists (select 1 from ${found} as kept (id, server_id)
        where kept.id = leftovers.id and kept.server_id = leftovers.server_id))
    insert into leftovers (id, server_id, first_seen_at) select id, server_id, ${now} from ${found} as found (id, server_id)
    on conflict do nothing returning id, server_id as "serverId"`)
}

export async function deleteFromQuarantine(db: Queryable, { id, serverId }: LeftoverName): Promise<void> {
  await db.run(sql`delete from leftovers where id = ${id} and server_id = ${serverId}`)
}

/** Prolongs all quarantines, but none beyond the end of a quarantine that begins now. */
export async function prolongQuarantines(db: Queryable, byMs: number, now: Date): Promise<void> {
  await db.run(sql`
    update leftovers set first_seen_at = least(first_seen_at + ${byMs} * interval '1 millisecond', ${now})
    where first_seen_at < ${now}`)
}
