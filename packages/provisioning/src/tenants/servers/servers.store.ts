import { type Database, type Queryable, type Sql, sql, TIME_LIMITS, type Tx } from '@storey/kit/database'

const SERVERS_LOCK = 7_305_022
const PLACEMENT_LOCK = 7_305_023

/** A failed sandbox has no database, unless it failed because its database is missing, which may be restored. */
const hasDatabase = (): Sql => sql`(status <> 'failed' or building_id is not null)`

/** Runs work that finds out which server is which, one at a time over all processes. */
export async function withServersLock<T>(control: Database, work: () => Promise<T>): Promise<T> {
  return await control.session(async (session) => {
    await session.withLimits(TIME_LIMITS.long, () => session.run(sql`select pg_advisory_lock(${SERVERS_LOCK})`))
    try {
      return await work()
    } finally {
      await session.run(sql`select pg_advisory_unlock(${SERVERS_LOCK})`)
    }
  })
}

export interface KnownServer {
  id: string
  address: string | null
}

export async function listServers(db: Queryable): Promise<KnownServer[]> {
  return await db.rows<KnownServer & Record<string, unknown>>(
    sql`select id, address from database_servers order by first_seen_at, id`,
  )
}

export async function saveServer(db: Queryable, id: string, address: string): Promise<void> {
  await db.run(sql`insert into database_servers (id, address) values (${id}, ${address})
    on conflict (id) do update set address = excluded.address where database_servers.address is distinct from excluded.address`)
}

/** The servers on which no sandbox is placed. */
export async function listDraining(db: Queryable): Promise<Set<string>> {
  const rows = await db.rows<{ id: string }>(sql`select id from database_servers where is_draining`)
  return new Set(rows.map(({ id }) => id))
}

export interface Load {
  /** How many sandboxes have their database there, those that are being created included. */
  sandboxes: number
  /** A sandbox that is not measured yet, as while it is created, counts as an average one. */
  bytes: number
  /** How many of their stacks run. */
  awake: number
}

/** The load of each server that has sandboxes. */
export async function readLoads(db: Queryable): Promise<Map<string, Load>> {
  const rows = await db.rows<
    Load & { id: string } & Record<string, unknown>
  >(sql`select server_id as id, count(*) as sandboxes,
      coalesce(sum(coalesce(storage_bytes, (select avg(storage_bytes) from sandboxes))), 0)::bigint as bytes,
      count(running_since) as awake
    from sandboxes where server_id is not null and ${hasDatabase()} group by server_id`)
  return new Map(rows.map(({ id, ...load }) => [id, load]))
}

/** The slugs of the sandboxes that have their database on another server than these, by server. */
export async function listElsewhere(db: Queryable, ids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await db.rows<{
    id: string
    slugs: string[]
  }>(sql`select server_id as id, array_agg(slug order by slug) as slugs
    from sandboxes where server_id is not null and server_id <> all(${ids}) and ${hasDatabase()} group by server_id`)
  return new Map(rows.map(({ id, slugs }) => [id, slugs]))
}

/** Serializes placements until the transaction ends. */
export async function lockPlacement(tx: Tx): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(${PLACEMENT_LOCK})`)
}

export async function setServer(db: Queryable, sandboxId: string, serverId: string | null): Promise<void> {
  await db.run(sql`update sandboxes set server_id = ${serverId} where id = ${sandboxId}`)
}
