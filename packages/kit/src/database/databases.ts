import type { Queryable } from './database.ts'
import { identifier, sql } from './sql.ts'

/** Statements on the databases of a server. */

export async function databaseExists(db: Queryable, name: string): Promise<boolean> {
  return (await db.row(sql`select 1 from pg_database where datname = ${name}`)) !== undefined
}

export async function createDatabase(db: Queryable, name: string): Promise<void> {
  await db.run(sql`create database ${identifier(name)}`)
}

/** Nobody but its owner may connect, not even to look. */
export async function closeToPublic(db: Queryable, name: string): Promise<void> {
  await db.run(sql`revoke all on database ${identifier(name)} from public`)
}
