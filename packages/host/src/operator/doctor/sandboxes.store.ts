import { type Queryable, sql } from '@storey/kit/database'

export interface NamedReason {
  slug: string
  reason: string
}

type Row = NamedReason & Record<string, unknown>

export interface SandboxFacts {
  ready: number
  suspended: number
  expired: number
  /** Sandboxes whose provisioning or removal has taken longer than half an hour so far. */
  stuck: number
}

export async function readSandboxFacts(db: Queryable): Promise<SandboxFacts> {
  const row = await db.row<SandboxFacts & Record<string, unknown>>(sql`select
      count(*) filter (where status = 'ready' and suspended_at is null and expired_at is null
        and removing_at is null) as ready,
      count(*) filter (where suspended_at is not null and expired_at is null and removing_at is null) as suspended,
      count(*) filter (where expired_at is not null and removing_at is null) as expired,
      count(*) filter (where (status = 'provisioning' and expired_at is null and removing_at is null
          and requested_at < now() - interval '30 minutes')
        or removing_at < now() - interval '30 minutes') as stuck
    from sandboxes`)
  return row!
}

export async function listFailed(db: Queryable): Promise<NamedReason[]> {
  return await db.rows<Row>(sql`select slug, failure_reason as reason from sandboxes
    where status = 'failed' and removing_at is null and expired_at is null order by created_at desc`)
}

export async function listFailedMigrations(db: Queryable): Promise<NamedReason[]> {
  return await db.rows<Row>(sql`select slug, migration_failure as reason from sandboxes
    where migration_failure is not null and removing_at is null and expired_at is null order by slug`)
}

/** Sandboxes that use nine tenths of their storage limit or more. `reason` is the size of the storage in use. */
export async function listNearlyFull(db: Queryable, limitBytes: number): Promise<NamedReason[]> {
  return await db.rows<Row>(sql`select slug, pg_size_pretty(storage_bytes) as reason from sandboxes
    where storage_bytes >= ${Math.round(limitBytes * 0.9)} and removing_at is null and expired_at is null
    order by storage_bytes desc`)
}

export async function countBehind(db: Queryable, version: number): Promise<number> {
  const row = await db.row<{ count: number }>(sql`select count(*) as count from sandboxes
    where status = 'ready' and schema_version < ${version} and removing_at is null and expired_at is null`)
  return row!.count
}
