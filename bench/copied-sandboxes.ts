import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

/**
 * Adds many sandboxes quickly: each has a row, a role, a folder, and a copy of the database of a real sandbox, with the
 * comment of that database. Each copy is opened once, because PostgreSQL's autovacuum ignores databases that nobody opened.
 * A copied database names the organization of the original, so the stack of a copy would refuse its own callers.
 */
export async function copySandboxes(
  { control, dataDir, urlOf }: { control: pg.Client; dataDir: string; urlOf(database: string): string },
  original: string,
  count: number,
): Promise<void> {
  const { rows } = await control.query('select tag from installation')
  const nameOf = (id: string) => `storey_${rows[0].tag}_${id}`
  const { rows: comments } = await control.query(
    `select shobj_description(oid, 'pg_database') as comment from pg_database where datname = $1`,
    [nameOf(original)],
  )
  const columns = (await control.query('select * from sandboxes limit 0')).fields.map(({ name }) => name)
  const replaced: Record<string, string> = {
    id: '$2',
    slug: `'copy-' || $3`,
    tenant_id: `'org_' || $3`,
    idempotency_key: 'null',
    due_at: 'null',
    running_since: 'null',
  }
  for (let i = 0; i < count; i++) {
    const suffix = randomBytes(8).toString('hex')
    const id = `sbx_${suffix}`
    await control.query(`create role "${nameOf(id)}" login connection limit 20`)
    await control.query(`create database "${nameOf(id)}" template "${nameOf(original)}" owner "${nameOf(id)}"`)
    await control.query(`revoke all on database "${nameOf(id)}" from public`)
    await control.query(`comment on database "${nameOf(id)}" is '${comments[0].comment}'`)
    const values = columns.map((name) => replaced[name] ?? name)
    await control.query(
      `insert into sandboxes (${columns.join(', ')}) select ${values.join(', ')} from sandboxes where id = $1`,
      [original, id, suffix],
    )
    mkdirSync(join(dataDir, 'sandboxes', id), { mode: 0o700 })
    const opened = new pg.Client(urlOf(nameOf(id)))
    await opened.connect()
    await opened.query('select count(*) from nodes')
    await opened.end()
    if ((i + 1) % 100 === 0) process.stdout.write(`${i + 1} of ${count} sandboxes\n`)
  }
}
