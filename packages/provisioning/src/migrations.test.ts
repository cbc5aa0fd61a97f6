import { join } from 'node:path'
import { HISTORY_FILE, readMigrations } from '@storey/kit/database'
import { historyOf } from '@storey/kit/testing/schema-history'
import { expect, it } from 'vitest'
import { CONTROL_MIGRATIONS } from './migrations.ts'

it('[HST-89] a file lists what each migration of the control database creates and drops; vitest -u writes the file', async () => {
  const history = await historyOf(readMigrations(CONTROL_MIGRATIONS))
  await expect(history).toMatchFileSnapshot(join(CONTROL_MIGRATIONS, HISTORY_FILE))
})
