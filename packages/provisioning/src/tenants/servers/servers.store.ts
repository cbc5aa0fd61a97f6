import { type Database, type Queryable, type Sql, sql, TIME_LIMITS } from '@storey/kit/database'

const SERVERS_LOCK = 7_305_022

/**
 * A failed sandbox counts as one without a database, unless it failed because its database is missing: that database
 * may be restored.
 */
const hasDatabase = (): Sql => sql`(status <> 'failed' or building_id is not null)`

/** Runs work that identifies servers. Such work runs one at a time, over all processes. */
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

/** The servers on which no new sandbox is placed. */
export async function listDraining(db: Queryable): Promise<Set<string>> {
  const rows = await db.rows<{ id: string }>(sql`select id from database_servers where is_draining`)
  return new Set(rows.map(({ id }) => id))
}

export interface Load {
  /** How many sandboxes have their database on the server, those that are being created included. */
  sandboxes: number
  /** The storage of these sandboxes. A sandbox that is not measured yet, such as a new one, counts with the average. */
  bytes: number
  /** How many stacks of these sandboxes run. */
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

/** How many sandboxes have their database on a server, and the slugs of some of them. */
export async function countOn(
  db: Queryable,
  serverId: string,
  shown: number,
): Promise<{ sandboxes: number; slugs: string[] }> {
  const there = sql`from sandboxes where server_id = ${serverId} and ${hasDatabase()}`
  const row = await db.row<{ sandboxes: number; slugs: string[] }>(sql`select (select count(*) ${there}) as sandboxes,
    array(select slug ${there} order by created_at desc, id limit ${shown}) as slugs`)
  return row!
}

export async function setServer(db: Queryable, sandboxId: string, serverId: string | null): Promise<void> {
  await db.run(sql`update sandboxes set server_id = ${serverId} where id = ${sandboxId}`)
}

/** A server restored from a backup has an older generation, so more than the last one of each server is kept. */
const KEPT_GENERATIONS = 1_000

export async function addGeneration(db: Queryable, serverId: string, generation: string): Promise<void> {
  await db.run(sql`insert into server_generations (server_id, generation) values (${serverId}, ${generation})`)
  await db.run(sql`delete from server_generations where server_id = ${serverId} and id <=
    (select id from server_generations where server_id = ${serverId} order by id desc offset ${KEPT_GENERATIONS} limit 1)`)
}

export async function hasGeneration(db: Queryable, generation: string): Promise<boolean> {
  return (await db.row(sql`select 1 from server_generations where generation = ${generation}`)) !== undefined
}
