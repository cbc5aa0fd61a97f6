import { identifier, literal, type Queryable, type Sql, sql } from '@storey/kit/database'

/**
 * A server is recognized by a role without login, named after the server's id. A role is part of the whole server,
 * moves with it to another host, and is part of its base backups and of pg_dumpall.
 */
const prefixOf = (namePrefix: string) => `${namePrefix}server_`

/** The ids that this server has for this installation: none at first, then one. More than one is an error. */
export async function readMarkers(db: Queryable, namePrefix: string): Promise<string[]> {
  const prefix = prefixOf(namePrefix)
  const rows = await db.rows<{ id: string }>(sql`select substr(rolname, ${prefix.length + 1}) as id
    from pg_roles where starts_with(rolname, ${prefix}) order by 1`)
  return rows.map(({ id }) => id)
}

export async function createMarker(db: Queryable, namePrefix: string, id: string): Promise<void> {
  await db.run(sql`create role ${identifier(prefixOf(namePrefix) + id)} nologin`)
}

/** Whether this server has databases of sandboxes of this installation. */
export async function hasTenants(db: Queryable, namePrefix: string): Promise<boolean> {
  const row = await db.row(sql`select 1 from pg_database where starts_with(datname, ${`${namePrefix}sbx_`}) limit 1`)
  return row !== undefined
}

/** The text before the generation in the comment of the role. */
const GENERATION = 'generation '

/** The generation of the control database that used this server last; undefined: none was written yet. */
export async function readGeneration(db: Queryable, namePrefix: string, id: string): Promise<string | undefined> {
  const row = await db.row<{ comment: string | null }>(sql`select shobj_description(oid, 'pg_authid') as comment
    from pg_roles where rolname = ${prefixOf(namePrefix) + id}`)
  return row?.comment?.startsWith(GENERATION) ? row.comment.slice(GENERATION.length) : undefined
}

export const writeGeneration = (namePrefix: string, id: string, generation: string): Sql =>
  sql`comment on role ${identifier(prefixOf(namePrefix) + id)} is ${literal(GENERATION + generation)}`
