import { setTimeout as sleep } from 'node:timers/promises'
import { exceededLimit, type Tx, unavailableCode } from '@storey/kit/database'
import { columnList, quoted, type Table } from './tables.store.ts'

/** The schema in a sandbox's database that exists only during a move. */
const SCHEMA = 'storey_move'

/** The table that records the keys of the changed rows of `table`. */
export const changesOf = (table: Table): string => `${SCHEMA}.${quoted(table.name)}`

const RETRIES = 30
const PAUSE_MS = 1_000

/**
 * Records the keys of all rows that are inserted, updated or deleted from now on. Creating a trigger waits for the
 * transactions that are writing to its table, so a change either is in each later database snapshot, or its key is
 * recorded.
 */
export async function startCapture(session: Tx, tables: readonly Table[]): Promise<void> {
  await stopCapture(session)
  await session.client.query(`create schema ${SCHEMA}`)
  for (const table of tables) {
    const [name, keys, changes] = [`public.${quoted(table.name)}`, columnList(table.key), changesOf(table)]
    const insert = (...from: string[]) =>
      `insert into ${changes} ${from.map((rows) => `select ${keys} from ${rows}`).join(' union all ')}`
    const body = (statement: string) => `$$ begin ${statement}; return null; end $$`
    const note = (what: string) => `${SCHEMA}.${quoted(`${what}_${table.name}`.slice(0, 63))}`
    await retryLocked(
      session,
      `create table ${changes} as select ${keys} from ${name} with no data;
       create function ${note('one')}() returns trigger language plpgsql as ${body(insert('changed'))};
       create function ${note('two')}() returns trigger language plpgsql as ${body(insert('before', 'changed'))};
       create function ${note('all')}() returns trigger language plpgsql as ${body(insert(name))};
       create trigger storey_move_insert after insert on ${name} referencing new table as changed
         for each statement execute function ${note('one')}();
       create trigger storey_move_update after update on ${name} referencing old table as before new table as changed
         for each statement execute function ${note('two')}();
       create trigger storey_move_delete after delete on ${name} referencing old table as changed
         for each statement execute function ${note('one')}();
       create trigger storey_move_truncate before truncate on ${name}
         for each statement execute function ${note('all')}()`,
    )
  }
}

/** Removes everything that a move has added to the database. */
export async function stopCapture(session: Tx): Promise<void> {
  await retryLocked(session, `drop schema if exists ${SCHEMA} cascade`)
}

/**
 * While a statement waits for the lock of a table, the statements of requests wait behind it. So the statement gives up
 * soon and is repeated.
 */
async function retryLocked(session: Tx, statements: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await session.client.query(`begin; ${statements}; commit`)
      return
    } catch (err) {
      await session.client.query('rollback').catch(() => undefined)
      if (exceededLimit(unavailableCode(err)) !== 'lock' || attempt >= RETRIES) throw err
      await sleep(PAUSE_MS)
    }
  }
}
