import { identifier, type Queryable, type Sql, sql } from '@storey/kit/database'

/** A table of a sandbox's database. All names are quoted where they are used. */
export interface Table {
  name: string
  /** All columns except generated ones. */
  columns: string[]
  /** The columns of the primary key. */
  key: string[]
  /** Columns with transaction ids, which are valid on one server only. */
  transactionIds: string[]
}

/** All tables, the largest first. */
export async function listTables(db: Queryable): Promise<Table[]> {
  return await db.rows<Table & Record<string, unknown>>(sql`
    select c.relname as name,
      array(select attname::text from pg_attribute a where a.attrelid = c.oid and attnum > 0 and not attisdropped
        and attgenerated = '' order by attnum) as columns,
      array(select attname::text from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
        where i.indrelid = c.oid and i.indisprimary order by array_position(i.indkey::int2[], a.attnum)) as key,
      array(select attname::text from pg_attribute a where a.attrelid = c.oid and attnum > 0 and not attisdropped
        and atttypid = 'xid8'::regtype) as "transactionIds"
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    order by pg_total_relation_size(c.oid) desc, c.relname`)
}

export interface ForeignKey {
  table: string
  name: string
  definition: string
}

export async function listForeignKeys(db: Queryable): Promise<ForeignKey[]> {
  return await db.rows<ForeignKey & Record<string, unknown>>(sql`
    select r.relname as "table", conname as name, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c join pg_class r on r.oid = c.conrelid
    where contype = 'f' and r.relnamespace = 'public'::regnamespace order by 1, 2`)
}

export async function listSequences(db: Queryable): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(
    sql`select sequencename as name from pg_sequences where schemaname = 'public' order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** A list of quoted columns, with the alias of their table if given. */
export const columnList = (columns: readonly string[], alias?: string): string =>
  columns.map((column) => `${alias === undefined ? '' : `${alias}.`}${quoted(column)}`).join(', ')

/** A quoted name. Our migrations use only plain names, so any other name is refused. */
export const quoted = (name: string): string => identifier(name).parts[0]!

export const tableName = (name: string): Sql => sql`public.${identifier(name)}`
