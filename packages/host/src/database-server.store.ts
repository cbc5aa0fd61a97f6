import { identifier, type Queryable, sql } from '@storey/kit/database'

export async function databaseExists(db: Queryable, name: string): Promise<boolean> {
  return (await db.row(sql`select 1 from pg_database where datname = ${name}`)) !== undefined
}

export async function createDatabase(db: Queryable, name: string): Promise<void> {
  await db.run(sql`create database ${identifier(name)}`)
}

export async function closeToPublic(db: Queryable, name: string): Promise<void> {
  await db.run(sql`revoke all on database ${identifier(name)} from public`)
}

export interface ServerFacts {
  version: number
  mayCreate: boolean
  encoding: string
  name: string
}

export async function serverFacts(db: Queryable): Promise<ServerFacts> {
  const row = await db.row<ServerFacts & Record<string, unknown>>(
    sql`select current_setting('server_version_num')::int / 10000 as version, current_database() as name,
      rolsuper or (rolcreatedb and rolcreaterole) as "mayCreate", current_setting('server_encoding') as encoding
      from pg_roles where rolname = current_user`,
  )
  return row!
}
