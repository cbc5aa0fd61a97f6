import { type Queryable, sql } from '@storey/kit/database'

/** The failure reason of a sandbox without a database. */
export const DATABASE_MISSING =
  'The database of the sandbox is missing. Ask the operator to restore it, or reset or delete the sandbox'

/** A sandbox, as it was when its database was looked for. */
export interface LookedFor {
  id: string
  serverId: string | null
  requestedAt: Date
}

/** Selects the sandbox unless it was reset, moved or removed, or has expired, since its database was looked for. */
const unchanged = ({ id, serverId, requestedAt }: LookedFor) =>
  sql`id = ${id} and requested_at = ${requestedAt} and server_id is not distinct from ${serverId}
    and removing_at is null and expired_at is null`

/** Marks the sandbox as failed. False when it has changed meanwhile. */
export async function setMissing(db: Queryable, sandbox: LookedFor): Promise<boolean> {
  const count = await db.run(sql`update sandboxes set status = 'failed', failure_reason = ${DATABASE_MISSING},
      migration_target = null, migration_attempts = 0, migration_failure = null, migration_next_at = null
    where ${unchanged(sandbox)} and status = 'ready'`)
  return count > 0
}

/**
 * Marks the sandbox as ready, with its database on this server. The schema version of the database is unknown: if the
 * stack needs another version, it reports that when it starts. False when the sandbox has changed meanwhile.
 */
export async function setFound(db: Queryable, sandbox: LookedFor, serverId: string): Promise<boolean> {
  const count = await db.run(sql`update sandboxes set status = 'ready', failure_reason = null, schema_version = null,
      server_id = ${serverId}
    where ${unchanged(sandbox)} and (status = 'ready' or status = 'failed' and failure_reason = ${DATABASE_MISSING})
      and building_id is not null`)
  return count > 0
}

export type MissingDatabase = { id: string; slug: string }

export async function listMissing(db: Queryable): Promise<MissingDatabase[]> {
  return await db.rows<MissingDatabase>(sql`select id, slug from sandboxes
    where status = 'failed' and failure_reason = ${DATABASE_MISSING} and removing_at is null and expired_at is null
    order by created_at desc, id`)
}
