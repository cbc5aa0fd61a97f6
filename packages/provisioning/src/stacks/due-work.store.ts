import { type Queryable, type Sql, sql } from '@storey/kit/database'

export interface DueRow {
  id: string
  organizationId: string
  serverId: string | null
  /** null: unknown, because the stack runs, or ended without reporting its due work. */
  dueAt: Date | null
}

/** The condition for sandboxes that can have due work: ready, and neither expired nor being removed. */
const open = (): Sql => sql`status = 'ready' and removing_at is null and expired_at is null`

/** The condition for sandboxes whose stack can be started for due work. */
const startable = (): Sql => sql`${open()} and migration_target is null and suspended_at is null`

const columns = sql`id, organization_id as "organizationId", server_id as "serverId"`

export async function beginRun(db: Queryable, sandboxId: string, now: Date): Promise<void> {
  await db.run(sql`update sandboxes set running_since = ${now} where id = ${sandboxId} and ${open()}`)
}

/** Records the due work that a stack reported before it ended. */
export async function endRun(db: Queryable, sandboxId: string, dueAt: Date | null): Promise<void> {
  await db.run(sql`update sandboxes set running_since = null, due_at = ${dueAt} where id = ${sandboxId} and ${open()}`)
}

/** The number of stopped sandboxes whose stack can be started, and whose work was due at this time or earlier. */
export async function countOverdue(db: Queryable, before: Date): Promise<number> {
  const row = await db.row<{ count: number }>(sql`
    select count(*) as count from sandboxes
    where due_at <= ${before} and running_since is null and ${startable()}`)
  return row!.count
}

/** Sandboxes whose stack runs, or ended without reporting its due work. */
export async function listRunning(db: Queryable): Promise<DueRow[]> {
  return await db.rows<DueRow & Record<string, unknown>>(sql`select ${columns}, null::timestamptz as "dueAt"
    from sandboxes where running_since is not null and ${startable()} order by id`)
}

/** Stopped sandboxes whose work is due by `until`, earliest first; with `after`, only those that follow this row. */
export async function listDue(db: Queryable, until: Date, limit: number, after?: DueRow): Promise<DueRow[]> {
  const later = after ? sql`and (due_at, id) > (${after.dueAt}, ${after.id})` : sql``
  return await db.rows<DueRow & Record<string, unknown>>(sql`select ${columns}, due_at as "dueAt" from sandboxes
    where due_at <= ${until} ${later} and running_since is null and ${startable()}
    order by due_at, id limit ${limit}`)
}
