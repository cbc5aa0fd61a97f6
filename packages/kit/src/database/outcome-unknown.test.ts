import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toProblem } from '../http/errors.ts'
import { silentLog } from '../log.ts'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { type Database, openDatabase } from './database.ts'
import { type Sql, sql } from './sql.ts'

const END_SESSION = sql`select pg_terminate_backend(pg_backend_pid())`

describe('[ERR-40] after the end of a connection, the problem says that the outcome is unknown', () => {
  let test: TestDatabase
  let db: Database
  beforeAll(async () => {
    test = await testDatabase({ migrations: [] })
    for (const statement of [
      sql`create table written (how text)`,
      sql`create function fail() returns trigger language plpgsql as $$ begin
        if new.how = 'ends the session' then perform pg_terminate_backend(pg_backend_pid()); end if;
        if new.how = 'is refused' then raise exception 'too late' using errcode = '53100'; end if;
        return null; end $$`,
      sql`create constraint trigger late after insert on written deferrable initially deferred
        for each row execute function fail()`,
    ])
      await test.database.run(statement)
    db = openDatabase({ url: test.url, log: silentLog, applicationName: 'outcome' })
  })
  afterAll(async () => {
    await db.close()
    await test.drop()
  })

  const inserting = (how: string) => sql`insert into written values (${how})`
  const inTransaction = (...statements: Sql[]) =>
    db.transaction(async (tx) => {
      for (const statement of statements) await tx.run(statement)
    })
  async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
    const { code, members } = toProblem(await work.then(() => undefined).catch((err) => err))
    expect(code).toBe('NOT_READY')
    return members.outcome
  }

  it('if the commit was sent', async () => {
    expect(await outcomeOf(inTransaction(inserting('ends the session')))).toBe('unknown')
  })

  it('if a statement that writes was sent without a transaction', async () => {
    expect(await outcomeOf(db.run(inserting('ends the session')))).toBe('unknown')
    expect(await outcomeOf(db.row(sql`${inserting('ends the session')} returning how`))).toBe('unknown')
  })

  it('but not before the commit, after a read, or if PostgreSQL refused the commit', async () => {
    expect(await outcomeOf(inTransaction(inserting('in time'), END_SESSION))).toBeUndefined()
    expect(await outcomeOf(db.run(END_SESSION))).toBeUndefined()
    expect(await outcomeOf(inTransaction(inserting('is refused')))).toBeUndefined()
    expect(await outcomeOf(db.run(inserting('is refused')))).toBeUndefined()
  })
})
