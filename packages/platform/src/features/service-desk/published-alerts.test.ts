import { migrate, readMigrations, sql } from '@storey/kit/database'
import { testDatabase } from '@storey/kit/testing'
import { expect, it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from '../../migrations.ts'
import { NOBODY } from './testing/test-desk.ts'

it('the migrations convert the published alerts and the search words of existing requests', async () => {
  const all = readMigrations(MIGRATIONS_DIRECTORY)
  const { database, drop } = await testDatabase({ migrations: all.filter(({ version }) => version < 12) })
  const due = new Date('2026-03-01T12:00:00Z')
  for (const [i, warned, breached] of [
    [1, false, false],
    [2, true, false],
    [3, true, true],
  ] as const) {
    const at = new Date(due.getTime() + i)
    await database.run(sql`
      insert into service_requests (id, building_id, title, category, priority, state, reporter, created_at, updated_at,
        due_at, warned, breached, words, words_at)
      values (${`${NOBODY.slice(0, -1)}${i}`}, ${NOBODY}, 'x', 'it', 'low', 'new', 'me', ${at}, ${at}, ${due}, ${warned},
        ${breached}, 'łódź smørrebrød þórður plain', ${at})`)
  }
  await database.session((session) => migrate(session, all))
  expect(
    await database.rows(sql`
      select warned_for as "warnedFor", breached_for as "breachedFor", words from service_requests order by number`),
  ).toEqual([
    { warnedFor: null, breachedFor: null, words: 'lódź smorrebrod thórdur plain' },
    { warnedFor: due, breachedFor: null, words: 'lódź smorrebrod thórdur plain' },
    { warnedFor: due, breachedFor: due, words: 'lódź smorrebrod thórdur plain' },
  ])
  await drop()
})
