import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'

const PER_DEVELOPER = 10

/**
 * Adds rows of sleeping sandboxes until there are `count`, each with a folder, a role and an entry in PostgreSQL's
 * catalog of databases, so that sweeps and wakes read as much as with real sandboxes. The databases have no files:
 * 100,000 of them would take a terabyte.
 */
export async function fillFleet(
  control: pg.Client,
  folder: string,
  original: string,
  count: number,
): Promise<string[]> {
  const { rows: present } = await control.query('select count(*)::int as count from sandboxes')
  const first = present[0].count
  const developer = `'fleet-' || ((n - 1) / ${PER_DEVELOPER})`
  const organization = `'org_fleet' || ((n - 1) / ${PER_DEVELOPER})`
  const numbers = `generate_series(${first + 1}, ${count}) n`
  await control.query(`insert into organizations (id, name, created_at)
    select distinct ${organization}, 'Fleet', now() from ${numbers} on conflict do nothing`)
  await control.query(`insert into developers (id, organization_id, email, created_at)
    select distinct ${developer}, ${organization}, ${developer} || '@fleet.example', now() from ${numbers} on conflict do nothing`)
  const columns = (await control.query('select * from sandboxes limit 0')).fields.map(({ name }) => name)
  const id = `'sbx_' || substr(md5('fleet' || n), 1, 16)`
  const replaced: Record<string, string> = {
    id,
    slug: `'fleet-' || n`,
    tenant_id: `'org_' || substr(md5('fleet' || n), 1, 16)`,
    developer_id: developer,
    organization_id: organization,
    idempotency_key: 'null',
    running_since: 'null',
    created_at: `date_trunc('milliseconds', now() - n * interval '1 second')`,
    expires_at: `now() + interval '2 days' + n % 1000 * interval '10 minutes'`,
    // A fifth of the sandboxes has work that is due in a day or later.
    due_at: `case when n % 5 = 0 then now() + interval '1 day' + n % 1000 * interval '10 minutes' end`,
  }
  const values = columns.map((name) => replaced[name] ?? name)
  const { rows } = await control.query(
    `insert into sandboxes (${columns.join(', ')}) select ${values.join(', ')} from sandboxes, ${numbers}
    where id = $1 returning id`,
    [original],
  )
  const ids = rows.map((row) => row.id as string)
  await addToCatalogs(control, original, ids)
  await control.query('vacuum analyze sandboxes')
  for (const sandboxId of ids) mkdirSync(join(folder, sandboxId), { recursive: true })
  return ids
}

async function addToCatalogs(control: pg.Client, original: string, ids: readonly string[]): Promise<void> {
  const { rows } = await control.query('select tag from installation')
  const prefix = `storey_${rows[0].tag}_`
  const copyRow = async (table: string, changes: Record<string, string>, key: string) => {
    const columns = (await control.query(`select * from ${table} limit 0`)).fields.map(({ name }) => name)
    const values = columns.map((name) => changes[name] ?? `old.${name}`)
    await control.query(
      `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')}
      from ${table} old, unnest($1::text[]) as new (id) where old.${key} = $2`,
      [ids, prefix + original],
    )
  }
  const oid = (table: string) => `pg_nextoid('pg_catalog.${table}', 'oid', 'pg_catalog.${table}_oid_index')`
  await copyRow('pg_authid', { oid: oid('pg_authid'), rolname: `'${prefix}' || new.id` }, 'rolname')
  const owner = `(select oid from pg_authid where rolname = '${prefix}' || new.id)`
  const database = { oid: oid('pg_database'), datname: `'${prefix}' || new.id`, datdba: owner, datacl: 'null' }
  await copyRow('pg_database', database, 'datname')
  await control.query(
    `insert into pg_shdescription (objoid, classoid, description)
    select d.oid, 'pg_database'::regclass, (select shobj_description(oid, 'pg_database') from pg_database where datname = $1)
    from pg_database d, unnest($2::text[]) as new (id) where d.datname = $3 || new.id`,
    [prefix + original, ids, prefix],
  )
  for (const table of ['pg_authid', 'pg_database', 'pg_shdescription']) await control.query(`vacuum analyze ${table}`)
}
