import {
  closeToPublic,
  type Database,
  identifier,
  literal,
  type Queryable,
  type Sql,
  sql,
  TIME_LIMITS,
  type Tx,
} from '@storey/kit/database'

/**
 * PostgreSQL accepts no parameters in statements that create, change or drop databases and roles. A database can be
 * created or dropped only outside a transaction.
 */

/** False for a database whose drop was interrupted. PostgreSQL permits nothing but another drop of such a database. */
const IS_WHOLE = sql`datconnlimit <> -2`

const OWNER = sql`pg_get_userbyid(datdba)::text`

const CLUSTER = sql`(select system_identifier::text from pg_control_system())`

/** Runs a statement with long time limits: creating a database copies a template, and a drop needs a checkpoint. */
async function runLong(db: Database, statement: Sql): Promise<void> {
  await db.session((session) => session.withLimits(TIME_LIMITS.long, () => session.run(statement)))
}

/** Creates a role, or reuses a role that `dropRole` had to keep. */
export async function createRole(db: Queryable, name: string, passwordVerifier: string): Promise<void> {
  if (await hasRole(db, name)) await setPassword(db, name, passwordVerifier)
  else
    await db.run(sql`create role ${identifier(name)} login connection limit 20 password ${literal(passwordVerifier)}`)
  // An administrator without superuser rights must be a member of a role to make that role the owner of a database.
  await db.run(sql`grant ${identifier(name)} to current_user`)
}

const hasRole = async (db: Queryable, name: string): Promise<boolean> =>
  (await db.row(sql`select 1 from pg_roles where rolname = ${name}`)) !== undefined

/**
 * Resets the password of a tenant's role before each start of its stack, because a role can change its own password.
 * Also lets the role log in, because an interrupted move may have left it without this right.
 */
export async function setPassword(db: Queryable, name: string, passwordVerifier: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await db.run(sql`alter role ${identifier(name)} login password ${literal(passwordVerifier)}`)
      return
    } catch (err) {
      if (attempt === MAX_ALTER_ATTEMPTS || !CONCURRENT_ALTER.test((err as Error).message)) throw err
    }
  }
}

const MAX_ALTER_ATTEMPTS = 5

/** PostgreSQL reports this, as an internal error, when two sessions change a role at the same time. */
const CONCURRENT_ALTER = /tuple concurrently updated/

/**
 * True if a database exists without its role. A role that owns a database cannot be dropped, so such a database was
 * restored without its role.
 */
export async function lacksRole(db: Queryable, name: string): Promise<boolean> {
  const count = await db.run(sql`select 1 from pg_database where datname = ${name}
    and not exists (select 1 from pg_roles where rolname = ${name})`)
  return count > 0
}

/** Makes the tenant's role the owner of its database. Only the current owner or a superuser can do this. */
export async function setDatabaseOwner(db: Queryable, name: string): Promise<void> {
  await db.run(sql`alter database ${identifier(name)} owner to ${identifier(name)}`)
  await closeToPublic(db, name)
}

const DEPENDENT_OBJECTS = '2BP01'

/**
 * Drops a role. Keeps the role and returns false if something belongs to it, such as a database that an operator has
 * renamed before a restore.
 */
export async function dropRole(db: Queryable, name: string): Promise<boolean> {
  // PostgreSQL demands the right to drop roles even if the role does not exist.
  if (!(await hasRole(db, name))) return true
  try {
    await db.run(sql`drop role if exists ${identifier(name)}`)
    return true
  } catch (err) {
    if ((err as { code?: unknown }).code !== DEPENDENT_OBJECTS) throw err
    return false
  }
}

export async function cloneDatabase(db: Database, name: string, template: string): Promise<void> {
  await runLong(db, sql`create database ${identifier(name)} template ${identifier(template)} owner ${identifier(name)}`)
  await closeToPublic(db, name)
}

export async function createEmptyDatabase(db: Database, name: string): Promise<void> {
  await runLong(db, sql`create database ${identifier(name)}`)
  await closeToPublic(db, name)
}

export async function dropDatabase(db: Database, name: string): Promise<void> {
  await runLong(db, sql`drop database if exists ${identifier(name)} with (force)`)
}

/** Ends all sessions of a database and renames it. */
export async function renameDatabase(db: Queryable, name: string, to: string): Promise<void> {
  await db.run(sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = ${name} and pid <> pg_backend_pid()`)
  await db.run(sql`alter database ${identifier(name)} rename to ${identifier(to)}`)
}

/** The name of the session in which the service reads to which sandbox a database belongs. */
export const OWNER_SESSION = 'storey-owner'

/**
 * Whether other sessions are connected to one of these databases. A session with the name `OWNER_SESSION` does not
 * count: PostgreSQL may still list it after its end.
 */
export async function isInUse(db: Queryable, names: readonly string[]): Promise<boolean> {
  const count = await db.run(sql`select 1 from pg_stat_activity
    where datname = any(${names}) and pid <> pg_backend_pid() and application_name <> ${OWNER_SESSION}`)
  return count > 0
}

export async function listDatabases(db: Queryable, prefix: string): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(
    sql`select datname as name from pg_database where starts_with(datname, ${prefix}) order by 1`,
  )
  return rows.map(({ name }) => name)
}

export interface DatabaseRow {
  name: string
  /** The database's comment, which holds its metadata. */
  comment: string | null
  oid: number
  /** The system identifier of the database server, which PostgreSQL generates when the server is initialized. */
  cluster: string
  /** The role that owns the database. */
  owner: string
  isWhole: boolean
}

/** Names after `after`, and up to `upTo`, in the byte order of PostgreSQL's catalogs. */
export interface NameRange {
  after: string
  upTo: string
}

const inRange = (column: Sql, { after, upTo }: NameRange): Sql =>
  sql`${column} > ${after}::name and ${column} <= ${upTo}::name`

export async function listDatabasesWithComments(db: Queryable, range: NameRange): Promise<DatabaseRow[]> {
  return await db.rows<DatabaseRow & Record<string, unknown>>(
    sql`select datname as name, shobj_description(oid, 'pg_database') as comment, oid::bigint as oid,
      ${CLUSTER} as cluster, ${OWNER} as owner, ${IS_WHOLE} as "isWhole" from pg_database
      where ${inRange(sql`datname`, range)} order by 1`,
  )
}

/** The database with this name; undefined when it does not exist, or when its drop was interrupted. */
export async function findDatabase(db: Queryable, name: string): Promise<DatabaseRow | undefined> {
  return await db.row<DatabaseRow & Record<string, unknown>>(
    sql`select datname as name, shobj_description(oid, 'pg_database') as comment, oid::bigint as oid,
      ${CLUSTER} as cluster, ${OWNER} as owner, true as "isWhole" from pg_database
      where datname = ${name} and ${IS_WHOLE}`,
  )
}

/**
 * Stores metadata as the comment of a database. The comment is in the server's catalog, so it depends neither on the
 * control database nor on the tenant's own data.
 */
export async function commentOnDatabase(db: Queryable, name: string, comment: string): Promise<void> {
  await db.run(sql`comment on database ${identifier(name)} is ${literal(comment)}`)
}

/**
 * Whether somebody may be restoring a backup: a restore tool, idle or not, is connected to the database, or a
 * session of a role other than the tenant's is active in the database. PostgreSQL can hide the states and types of the
 * sessions of other roles, but not the names of their programs.
 */
export async function hasForeignSession(db: Queryable, name: string): Promise<boolean> {
  const count = await db.run(sql`select 1 from pg_stat_activity
    where datname = ${name} and coalesce(backend_type, 'client backend') = 'client backend' and pid <> pg_backend_pid()
      and (application_name in ('pg_restore', 'psql') or usename is distinct from ${name} and state <> 'idle')`)
  return count > 0
}

/** The size of a database; 0 when it does not exist. */
export async function databaseBytes(db: Queryable, name: string): Promise<number> {
  const row = await db.row<{ bytes: number }>(
    sql`select coalesce(sum(pg_database_size(oid)), 0)::bigint as bytes from pg_database where datname = ${name}`,
  )
  return row!.bytes
}

/** The number of open connections to each database whose name starts with this prefix. */
export async function countConnections(db: Queryable, prefix: string): Promise<{ name: string; count: number }[]> {
  return await db.rows<{ name: string; count: number }>(sql`select datname as name, count(*) as count
    from pg_stat_activity where starts_with(datname, ${prefix}) group by datname`)
}

export async function listRoles(db: Queryable, range: NameRange): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(
    sql`select rolname as name from pg_roles where ${inRange(sql`rolname`, range)} order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Renames the draft and makes it a template that accepts no connections. */
export async function markAsTemplate(db: Queryable, draft: string, name: string): Promise<void> {
  // A pooler keeps server connections whose client has disconnected, and a database in use cannot be renamed.
  await db.run(sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = ${draft} and usename = current_user`)
  await db.run(sql`alter database ${identifier(draft)} rename to ${identifier(name)}`)
  await db.run(sql`alter database ${identifier(name)} with is_template true allow_connections false`)
}

export async function unmarkTemplate(db: Queryable, name: string): Promise<void> {
  // A database whose drop was interrupted cannot be altered, and is no longer a template.
  if ((await findDatabase(db, name)) === undefined) return
  await db.run(sql`alter database ${identifier(name)} with is_template false`)
}

/**
 * Makes the owner of the database the owner of all objects that this session creates. In a clone of the database, these
 * objects belong to the owner of the clone.
 */
export async function actAsDatabaseOwner(session: Tx): Promise<void> {
  await session.run(sql`set role pg_database_owner`)
}

/** Makes the server cancel a statement when its client disconnects. Returns the pid of the server process. */
export async function watchClient(session: Tx): Promise<number> {
  await session.run(sql`set client_connection_check_interval = '5s'`).catch(() => undefined)
  return (await session.row<{ pid: number }>(sql`select pg_backend_pid() as pid`))!.pid
}

/**
 * Ends one session of a tenant's role in its database. `pid` is not trusted: it was read in that database, where the
 * role can replace the function that returns it. So a session of another role or database is never ended.
 */
export async function endSession(db: Queryable, name: string, pid: number): Promise<void> {
  await db.run(sql`select pg_terminate_backend(pid) from pg_stat_activity
    where pid = ${pid} and datname = ${name} and usename = ${name}`)
}

/** Ends all sessions of a tenant's role in its database except one, and prevents new ones. */
export async function closeExcept(db: Queryable, name: string, pid: number): Promise<void> {
  await db.run(sql`alter role ${identifier(name)} nologin`)
  await db.run(sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = ${name} and usename = ${name} and pid <> ${pid}`)
}

const TEMPLATE_LOCK = 7_305_020

export async function withTemplateLock(db: Database, work: () => Promise<void>): Promise<void> {
  await db.session(async (session) => {
    await session.withLimits(TIME_LIMITS.long, () => session.run(sql`select pg_advisory_lock(${TEMPLATE_LOCK})`))
    try {
      await work()
    } finally {
      await session.run(sql`select pg_advisory_unlock(${TEMPLATE_LOCK})`)
    }
  })
}
