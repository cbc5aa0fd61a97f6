import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '@storey/kit/database'
import type { TestDatabase } from '@storey/kit/testing'

/** Locks a table, so that everybody else who reads or writes it waits. */
export async function holdTable(database: TestDatabase['database'], table: string) {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let held = () => {}
  const holding = new Promise<void>((resolve) => {
    held = resolve
  })
  const done = database.transaction(async ({ client }) => {
    await client.query(`lock table ${table} in access exclusive mode`)
    held()
    await released
  })
  await holding
  return {
    async release() {
      release()
      await done
    },
    async waitedFor() {
      const waiting = sql`select 1 as waiting from pg_locks where not granted and relation = ${table}::regclass`
      while (!(await database.row(waiting))) await sleep(20)
    },
  }
}
