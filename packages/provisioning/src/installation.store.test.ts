import { migrate, readMigrations, sql } from '@storey/kit/database'
import { testDatabase } from '@storey/kit/testing'
import { expect, it } from 'vitest'
import { installationTag, trustedTime } from './installation.store.ts'
import { CONTROL_MIGRATIONS } from './migrations.ts'

it('[SBX-64] after an upgrade from an earlier version, the trusted time begins with the newest time that is recorded', async () => {
  const all = readMigrations(CONTROL_MIGRATIONS)
  const { database, drop } = await testDatabase({ migrations: all.filter(({ version }) => version <= 10) })
  await database.run(sql`insert into installation (tag, created_at) values ('abcdef', '2026-01-01T00:00:00Z')`)
  await database.run(sql`insert into key_audit (at, action, outcome)
    values ('2026-02-01T00:00:00Z', 'key.used', 'denied'), ('2026-03-01T00:00:00Z', 'key.used', 'denied')`)
  await database.session((session) => migrate(session, all))
  const record = trustedTime(database)
  expect(await record.read()).toEqual(new Date('2026-03-01T00:00:00Z'))
  await record.write(new Date('2026-02-15T00:00:00Z'))
  expect(await installationTag(database)).toBe('abcdef')
  expect(await record.read()).toEqual(new Date('2026-02-15T00:00:00Z'))
  await drop()
})
