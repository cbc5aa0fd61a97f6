import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { type Database, sql } from '../database/index.ts'
import { testDatabase } from './index.ts'

it('a test database is not cloned from a template whose content could not be written', async () => {
  let writes = 0
  const content = {
    key: randomUUID(),
    async write(database: Database) {
      await database.run(sql`create table notes (id integer)`)
      if (++writes === 1) throw new Error('no content')
      await database.run(sql`insert into notes values (1)`)
    },
  }
  await expect(testDatabase({ migrations: [], content })).rejects.toThrow('no content')
  for (let clones = 0; clones < 2; clones++) {
    const test = await testDatabase({ migrations: [], content })
    expect(await test.database.rows(sql`select id from notes`)).toEqual([{ id: 1 }])
    await test.drop()
  }
  expect(writes).toBe(2)
})
