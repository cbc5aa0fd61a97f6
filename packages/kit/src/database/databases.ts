import type { Queryable } from './database.ts'
import { identifier, sql } from './sql.ts'

/** Whether the server has a database of this name. */
export async function databaseExists(db: Queryable, name: string): Promise<boolean> {
  return (await db.row(sql`select 1 from pg_database where datname = ${name}`)) !== undefined
}

/**
 * The error for an operator if `mayCreateDatabases` is false, without a final period. `setting` is the name of the
 * environment variable with the URL of the database.
 */
export const createRightsMissing = (setting: string): string =>
  `The role in ${setting} must be allowed to create databases and roles (CREATEDB, CREATEROLE)`

/** Whether the current role may create databases and roles. */
export async function mayCreateDatabases(db: Queryable): Promise<boolean> {
  const row = await db.row<{ may: boolean }>(
    sql`select rolsuper or (rolcreatedb and rolcreaterole) as may from pg_roles where rolname = current_user`,
  )
  return row!.may
}

export async function createDatabase(db: Queryable, name: string): Promise<void> {
  await db.run(sql`create database ${identifier(name)}`)
}

/** Lets only the owner connect to the database. */
export async function closeToPublic(db: Queryable, name: string): Promise<void> {
  await db.run(sql`revoke all on database ${identifier(name)} from public`)
}

/** The server's current time. */
export async function serverTime(db: Queryable): Promise<Date> {
  return (await db.row<{ now: Date }>(sql`select clock_timestamp() as now`))!.now
}
