import { join } from 'node:path'
import { HISTORY_FILE, migrate, readMigrations } from '@storey/kit/database'
import { testDatabase } from '@storey/kit/testing'
import { historyOf } from '@storey/kit/testing/schema-history'
import { expect, it } from 'vitest'
import { IDENTITY_MIGRATIONS, IDENTITY_MIGRATIONS_TABLE } from './index.ts'
import { Browser } from './testing/browser.ts'
import { discover, startCodeFlow } from './testing/oauth.ts'
import { serveIdentity } from './testing/serve.ts'

it('[IDN-32] shells that were registered at an earlier address are found at their current address', async () => {
  const test = await testDatabase({ migrations: [] })
  const all = readMigrations(IDENTITY_MIGRATIONS)
  await test.database.session((session) =>
    migrate(session, all.slice(0, 1), { migrationsTable: IDENTITY_MIGRATIONS_TABLE }),
  )
  await test.database.session((tx) =>
    tx.client.query(`insert into identity_clients
      (id, kind, client_id, tenant_id, name, origin, redirect_uris, created_at)
      values ('shell-mall', 'shell', 'shell-mall', 'org_mall', 'mall.old.example', 'https://mall.old.example',
        '{https://mall.old.example/callback}', now())`),
  )
  await test.database.session((session) => migrate(session, all, { migrationsTable: IDENTITY_MIGRATIONS_TABLE }))
  const identity = await serveIdentity({ database: test.database })
  const config = await discover(identity.issuers.sandboxes, 'shell-mall')
  const { url } = await startCodeFlow({ config, redirectUri: 'http://mall.localhost:4000/callback' })
  expect((await new Browser(identity.url).open(url)).title).toBe('Sign in to mall.localhost:4000')
  await identity.stop()
  await test.drop()
})

it('[HST-89] the history file, which vitest -u writes, lists what each migration of the identity tables creates and drops', async () => {
  const history = await historyOf(readMigrations(IDENTITY_MIGRATIONS), IDENTITY_MIGRATIONS_TABLE)
  await expect(history).toMatchFileSnapshot(join(IDENTITY_MIGRATIONS, HISTORY_FILE))
})
