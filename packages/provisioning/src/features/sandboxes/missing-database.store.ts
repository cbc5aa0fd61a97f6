import { type Queryable, sql } from '@storey/kit/database'

/** The failure reason of a sandbox without a database. */
export const DATABASE_MISSING =
  'The database of the sandbox is missing. It was probably deleted after the backup that was restored: reset or delete the sandbox'

/** Marks the sandbox as failed. False when it was reset, removed or expired meanwhile. */
export async function setMissing(db: Queryable, id: string, requestedAt: Date): Promise<boolean> {
  const count = await db.run(sql`update sandboxes set status = 'failed', failure_reason = ${DATABASE_MISSING},
      migration_target = null, migration_attempts = 0, migration_failure = null, migration_next_at = null
    where id = ${id} and status = 'ready' and requested_at = ${requestedAt}
      and removing_at is null and expired_at is null`)
  return count > 0
}

/** Marks the sandbox as ready again. Its schema version is unknown until its stack starts. */
export async function setFound(db: Queryable, id: string, requestedAt: Date): Promise<boolean> {
  const count = await db.run(sql`update sandboxes set status = 'ready', failure_reason = null, schema_version = null
    where id = ${id} and status = 'failed' and failure_reason = ${DATABASE_MISSING} and requested_at = ${requestedAt}
      and building_id is not null and removing_at is null and expired_at is null`)
  return count > 0
}

export type MissingDatabase = { id: string; slug: string }

export async function listMissing(db: Queryable): Promise<MissingDatabase[]> {
  return await db.rows<MissingDatabase>(sql`select id, slug from sandboxes
    where status = 'failed' and failure_reason = ${DATABASE_MISSING} and removing_at is null and expired_at is null
    order by created_at desc, id`)
}
