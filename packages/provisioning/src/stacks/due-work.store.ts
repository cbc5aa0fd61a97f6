import { type Queryable, type Sql, sql } from '@storey/kit/database'

export interface DueRow {
  id: string
  organizationId: string
  serverId: string | null
  /** null: unknown, because the stack runs, or ended without reporting it. */
  dueAt: Date | null
}

/** The condition for sandboxes that can have due work: ready, and neither expired nor being removed. */
const awake = (): Sql => sql`status = 'ready' and removing_at is null and expired_at is null`

export async function beginRun(db: Queryable, sandboxId: string, now: Date): Promise<void> {
  await db.run(sql`update sandboxes set running_since = ${now} where id = ${sandboxId} and ${awake()}`)
}

/** Records the due work that a stack reported before it ended. */
export async function endRun(db: Queryable, sandboxId: string, dueAt: Date | null): Promise<void> {
  await db.run(sql`update sandboxes set running_since = null, due_at = ${dueAt} where id = ${sandboxId} and ${awake()}`)
}

/** How many stopped stacks have had due work since before this time. */
export async function countOverdue(db: Queryable, before: Date): Promise<number> {
  const row = await db.row<{ count: number }>(sql`
    select count(*) as count from sandboxes
    where due_at <= ${before} and running_since is null and ${awake()} and migration_target is null`)
  return row!.count
}

/** Sandboxes whose work is due by `until`, earliest first, and sandboxes whose due work is unknown. */
export async function listDue(db: Queryable, until: Date): Promise<DueRow[]> {
  return await db.rows<DueRow & Record<string, unknown>>(sql`
    select id, organization_id as "organizationId", server_id as "serverId",
      case when running_since is null then due_at end as "dueAt"
    from sandboxes where (due_at <= ${until} or running_since is not null) and ${awake()} and migration_target is null
      and suspended_at is null
    order by due_at nulls first, id limit 1000`)
}
