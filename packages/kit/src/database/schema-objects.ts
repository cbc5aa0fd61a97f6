import type { Queryable } from './database.ts'
import { identifier, sql } from './sql.ts'

/** The names of everything that migrations create in a database, each with its kind. */
export type SchemaObjects = ReadonlySet<string>

/**
 * Reads what the current schema has. In a database that is only partly restored, keys, indexes, triggers and foreign
 * keys are missing, because tools restore them after the tables and rows. An index that could not be built
 * completely is not listed, and neither is a trigger or foreign key that is disabled. NOT NULL constraints are left
 * out, because PostgreSQL 18 lists them with names that older servers did not have.
 */
export async function readSchema(db: Queryable): Promise<SchemaObjects> {
  const rows = await db.rows<{ name: string }>(sql`with relations as (
      select oid, relname, relkind from pg_class where relnamespace = current_schema()::regnamespace
    )
    select 'relation ' || relname as name from relations where relkind not in ('i', 'I', 't')
    union all select 'index ' || relname from relations join pg_index on indexrelid = oid where indisvalid
    union all select 'constraint ' || relname || ' ' || conname
      from relations join pg_constraint c on conrelid = relations.oid where contype <> 'n'
        and not exists (select from pg_trigger where tgconstraint = c.oid and tgenabled = 'D')
    union all select 'trigger ' || relname || ' ' || tgname
      from relations join pg_trigger on tgrelid = relations.oid where not tgisinternal and tgenabled <> 'D'
    union all select 'function ' || proname from pg_proc where pronamespace = current_schema()::regnamespace
    union all select 'type ' || typname from pg_type
      where typnamespace = current_schema()::regnamespace and typtype in ('d', 'e')`)
  return new Set(rows.map(({ name }) => name))
}

/**
 * Whether a sequence of `objects` was never used, although its table has rows. Then some rows may be missing, because
 * tools that restore a database set its sequences after the rows of all tables.
 */
export async function hasUnsetSequence(db: Queryable, objects: SchemaObjects): Promise<boolean> {
  const owned = await db.rows<{ sequence: string; table: string }>(sql`
    select s.relname as sequence, t.relname as table
    from pg_class s join pg_depend d on d.objid = s.oid and d.deptype in ('a', 'i')
      and d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass
    join pg_class t on t.oid = d.refobjid
    where s.relkind = 'S' and s.relnamespace = current_schema()::regnamespace`)
  for (const { sequence, table } of owned.filter(({ sequence }) => objects.has(`relation ${sequence}`))) {
    const row = await db.row<{ isUnset: boolean }>(sql`
      select not is_called and exists (select from ${identifier(table)}) as "isUnset" from ${identifier(sequence)}`)
    if (row!.isUnset) return true
  }
  return false
}
