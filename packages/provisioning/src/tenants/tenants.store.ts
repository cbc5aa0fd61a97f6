import {
  closeToPublic,
  createDatabase,
  type Database,
  identifier,
  literal,
  type Queryable,
  sql,
  type Tx,
} from '@storey/kit/database'

/** Statements on databases and roles of the server. They take no parameters and refuse transactions. */

export async function createRole(db: Queryable, name: string, passwordVerifier: string): Promise<void> {
  await db.run(sql`create role ${identifier(name)} login connection limit 20 password ${literal(passwordVerifier)}`)
  // A server's administrator who is not superuser may give a database only to a role it is a member of.
  await db.run(sql`grant ${identifier(name)} to current_user`)
}

/** A role may change its own password; before each start it is what we expect again. */
export async function setPassword(db: Queryable, name: string, passwordVerifier: string): Promise<void> {
  await db.run(sql`alter role ${identifier(name)} password ${literal(passwordVerifier)}`)
}

/** True where a database is there without the role that is to own it: a role that owns one cannot be dropped. */
export async function lacksRole(db: Queryable, name: string): Promise<boolean> {
  const count = await db.run(sql`select 1 from pg_database where datname = ${name}
    and not exists (select 1 from pg_roles where rolname = ${name})`)
  return count > 0
}

/** Needs an administrator who owns the database or is superuser. */
export async function giveDatabase(db: Queryable, name: string): Promise<void> {
  await db.run(sql`alter database ${identifier(name)} owner to ${identifier(name)}`)
  await closeToPublic(db, name)
}

export async function dropRole(db: Queryable, name: string): Promise<void> {
  await db.run(sql`drop role if exists ${identifier(name)}`)
}

export async function cloneDatabase(db: Queryable, name: string, template: string): Promise<void> {
  await db.run(sql`create database ${identifier(name)} template ${identifier(template)} owner ${identifier(name)}`)
  await closeToPublic(db, name)
}

export async function createEmptyDatabase(db: Queryable, name: string): Promise<void> {
  await createDatabase(db, name)
  await closeToPublic(db, name)
}

export async function dropDatabase(db: Queryable, name: string): Promise<void> {
  await db.run(sql`drop database if exists ${identifier(name)} with (force)`)
}

export async function listDatabases(db: Queryable, prefix: string): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(
    sql`select datname as name from pg_database where starts_with(datname, ${prefix}) order by 1`,
  )
  return rows.map(({ name }) => name)
}

export interface DatabaseRow {
  name: string
  /** What was written about it when it was made; null when nothing was. */
  comment: string | null
}

export async function listDatabasesWithComments(db: Queryable, prefix: string): Promise<DatabaseRow[]> {
  return await db.rows<DatabaseRow & Record<string, unknown>>(
    sql`select datname as name, shobj_description(oid, 'pg_database') as comment from pg_database
      where starts_with(datname, ${prefix}) order by 1`,
  )
}

/** A comment of the server's own catalog: it is there when the control database is another, and not in the database. */
export async function commentOnDatabase(db: Queryable, name: string, comment: string): Promise<void> {
  await db.run(sql`comment on database ${identifier(name)} is ${literal(comment)}`)
}

/** 0 when it is not there. */
export async function databaseBytes(db: Queryable, name: string): Promise<number> {
  const row = await db.row<{ bytes: number }>(
    sql`select coalesce(sum(pg_database_size(oid)), 0)::bigint as bytes from pg_database where datname = ${name}`,
  )
  return row!.bytes
}

export async function listRoles(db: Queryable, prefix: string): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(
    sql`select rolname as name from pg_roles where starts_with(rolname, ${prefix}) order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** From here on it can be cloned, and nobody can connect to it. */
export async function sealTemplate(db: Queryable, draft: string, name: string): Promise<void> {
  await db.run(sql`alter database ${identifier(draft)} rename to ${identifier(name)}`)
  await db.run(sql`alter database ${identifier(name)} with is_template true allow_connections false`)
}

export async function unsealTemplate(db: Queryable, name: string): Promise<void> {
  await db.run(sql`alter database ${identifier(name)} with is_template false`)
}

/** What this session makes belongs to whoever owns the database it ends up in. */
export async function actAsDatabaseOwner(session: Tx): Promise<void> {
  await session.run(sql`set role pg_database_owner`)
}

/** Gives the session's process. The server ends its work when the client is gone, also in the middle of a statement. */
export async function watchClient(session: Tx): Promise<number> {
  await session.run(sql`set client_connection_check_interval = '5s'`).catch(() => undefined)
  return (await session.row<{ pid: number }>(sql`select pg_backend_pid() as pid`))!.pid
}

export async function terminate(db: Queryable, pid: number): Promise<void> {
  await db.run(sql`select pg_terminate_backend(${pid})`)
}

const TEMPLATE_LOCK = 7_305_020

export async function withTemplateLock(db: Database, work: () => Promise<void>): Promise<void> {
  await db.session(async (session) => {
    await session.run(sql`select pg_advisory_lock(${TEMPLATE_LOCK})`)
    try {
      await work()
    } finally {
      await session.run(sql`select pg_advisory_unlock(${TEMPLATE_LOCK})`)
    }
  })
}
