import type { Queryable } from './database.ts'
import { identifier, sql } from './sql.ts'

/** Whether the server has a database of this name. */
export async function databaseExists(db: Queryable, name: string): Promise<boolean> {
  return (await db.row(sql`select 1 from pg_database where datname = ${name}`)) !== undefined
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
