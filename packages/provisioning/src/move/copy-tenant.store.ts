import { copyBetween, sql, type Tx } from '@storey/kit/database'
import { changesOf, startCapture } from './change-capture.store.ts'
import {
  columnList,
  type ForeignKey,
  listForeignKeys,
  listSequences,
  listTables,
  quoted,
  type Table,
  tableName,
} from './tables.store.ts'

export interface CopyTenant {
  /**
   * Sessions of the sandbox's role in both databases. The target database has the schema, and no data that has to be
   * kept.
   */
  from: Tx
  to: Tx
  signal: AbortSignal
}

/** A copy of a tenant database that follows the changes of the original. */
export interface TenantCopy {
  tables: readonly Table[]
  /** Copies all rows as they were at one moment, while the original is in use. */
  copyAll(onTable: (table: string, rows: number) => void): Promise<number>
  /** Copies the changes since this copy was started, or since the previous `catchUp`. */
  catchUp(): Promise<number>
  /**
   * Completes the copy with sequences, foreign keys and triggers, and compares the numbers of rows. Call it after the
   * last `catchUp`, when nobody can write to the original.
   */
  finish(): Promise<void>
}

export async function startTenantCopy({ from, to, signal }: CopyTenant): Promise<TenantCopy> {
  const tables = await listTables(from)
  const without = tables.find(({ key }) => key.length === 0)
  if (without) throw new Error(`the table ${without.name} has no primary key`)
  const foreignKeys = await prepareTarget(to, await listTables(to))
  await startCapture(from, tables)
  const qualified = ({ name }: Table) => `public.${quoted(name)}`
  const targetOf = (table: Table) => `${qualified(table)} (${columnList(table.columns)})`

  async function copyChanges(table: Table): Promise<number> {
    const changes = `select distinct ${columnList(table.key)} from ${changesOf(table)}`
    if ((await from.client.query(`select 1 from ${changesOf(table)} limit 1`)).rows.length === 0) return 0
    const same = table.key.map((column) => `t.${quoted(column)} = k.${quoted(column)}`).join(' and ')
    await to.client.query(
      `create temp table move_keys as select ${columnList(table.key)} from ${qualified(table)} with no data`,
    )
    const keys = `move_keys (${columnList(table.key)})`
    const count = await copyBetween({ from, query: changes, to, target: keys, signal })
    await to.client.query(`analyze move_keys; delete from ${qualified(table)} t using move_keys k where ${same}`)
    const query = `select ${columnList(table.columns, 't')} from ${qualified(table)} t join (${changes}) k on ${same}`
    await copyBetween({ from, query, to, target: targetOf(table), signal })
    await to.client.query('drop table move_keys')
    // This deletes only the changes that were copied, because this transaction does not see later changes.
    await from.client.query(`delete from ${changesOf(table)}`)
    return count
  }

  return {
    tables,
    async copyAll(onTable) {
      let all = 0
      await inTransaction(from, 'begin isolation level repeatable read read only', async () => {
        for (const table of tables) {
          signal.throwIfAborted()
          const query = `select ${columnList(table.columns)} from ${qualified(table)}`
          const rows = await copyBetween({ from, query, to, target: targetOf(table), signal })
          onTable(table.name, rows)
          all += rows
        }
      })
      await to.client.query('analyze')
      return all
    },
    async catchUp() {
      let all = 0
      await inTransaction(from, 'begin isolation level repeatable read', () =>
        inTransaction(to, 'begin', async () => {
          for (const table of tables) {
            signal.throwIfAborted()
            all += await copyChanges(table)
          }
        }),
      )
      return all
    },
    async finish() {
      for (const name of await listSequences(from)) {
        const row = await from.row<{ last: string; isCalled: boolean }>(
          sql`select last_value::text as last, is_called as "isCalled" from ${tableName(name)}`,
        )
        await to.run(sql`select setval(${`public.${quoted(name)}`}::regclass, ${row!.last}::bigint, ${row!.isCalled})`)
      }
      // A transaction id has no meaning on another server, so each is set to 0, which is older than every id of the
      // target server. Rows with the same transaction id are read in the order of their keys.
      for (const table of tables)
        for (const column of table.transactionIds)
          await to.client.query(`update ${qualified(table)} set ${quoted(column)} = '0'::xid8`)
      await inTransaction(to, 'begin', async () => {
        for (const { table, name, definition } of foreignKeys)
          await to.client.query(`alter table public.${quoted(table)} add constraint ${quoted(name)} ${definition}`)
        for (const table of tables) await to.client.query(`alter table ${qualified(table)} enable trigger user`)
      })
      await compareCounts(from, to, tables)
    },
  }
}

/**
 * Empties the tables of the target database. Drops its foreign keys, because rows are copied in any order. Disables its
 * triggers, because the triggers of the original database have already run for these rows.
 */
async function prepareTarget(to: Tx, tables: readonly Table[]): Promise<ForeignKey[]> {
  const foreignKeys = await listForeignKeys(to)
  await inTransaction(to, 'begin', async () => {
    for (const { table, name } of foreignKeys)
      await to.client.query(`alter table public.${quoted(table)} drop constraint ${quoted(name)}`)
    for (const { name } of tables) await to.client.query(`alter table public.${quoted(name)} disable trigger user`)
    const names = tables.map(({ name }) => `public.${quoted(name)}`)
    if (names.length > 0) await to.client.query(`truncate ${names.join(', ')}`)
  })
  return foreignKeys
}

async function compareCounts(from: Tx, to: Tx, tables: readonly Table[]): Promise<void> {
  const countIn = async (session: Tx) => {
    const counts = tables.map(({ name }) => `(select count(*) from public.${quoted(name)}) as ${quoted(name)}`)
    return (await session.client.query(`select ${counts.join(', ')}`)).rows[0] as Record<string, number>
  }
  const [before, after] = await Promise.all([countIn(from), countIn(to)])
  const wrong = tables.find(({ name }) => before[name] !== after[name])
  if (wrong) throw new Error(`the copy of ${wrong.name} has ${after[wrong.name]} rows instead of ${before[wrong.name]}`)
}

async function inTransaction<T>({ client }: Tx, begin: string, work: () => Promise<T>): Promise<T> {
  await client.query(begin)
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (err) {
    await client.query('rollback').catch(() => undefined)
    throw err
  }
}
