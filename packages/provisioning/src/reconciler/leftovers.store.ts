import { type Queryable, sql } from '@storey/kit/database'

/** Returns those of the ids whose sandboxes this control database has removed. */
export async function listRemoved(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.rows<{ id: string }>(sql`select id from removed_sandboxes where id = any(${ids})`)
  return new Set(rows.map(({ id }) => id))
}

export interface QuarantineRow {
  id: string
  firstSeenAt: Date
}

export async function listQuarantine(db: Queryable): Promise<QuarantineRow[]> {
  return await db.rows<QuarantineRow & Record<string, unknown>>(
    sql`select id, first_seen_at as "firstSeenAt" from leftovers order by first_seen_at, id`,
  )
}

/** Replaces the ids in quarantine with these, and returns the new ones. */
export async function syncQuarantine(db: Queryable, ids: readonly string[], now: Date): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`
    with gone as (delete from leftovers where id <> all(${ids}))
    insert into leftovers (id, first_seen_at) select id, ${now} from unnest(${ids}::text[]) as found (id)
    on conflict do nothing returning id`)
  return rows.map(({ id }) => id)
}

export async function deleteFromQuarantine(db: Queryable, id: string): Promise<void> {
  await db.run(sql`delete from leftovers where id = ${id}`)
}
