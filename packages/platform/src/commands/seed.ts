import type { SeedConfig } from '@storey/contract'
import { openDatabase, TIME_LIMITS } from '@storey/kit/database'
import { createLog } from '@storey/kit/log'
import { databaseBytes } from '../disk-space/index.ts'
import { seedBuilding } from '../seed/index.ts'
import { onStop, send } from './channel.ts'

export async function seed(config: SeedConfig): Promise<void> {
  // The process may end at any point, since the control plane creates a new database for the next attempt. It ends by a
  // signal and not with an exit code, since an exit code would count as a failure of the seeding.
  onStop(() => process.kill(process.pid, 'SIGKILL'))
  const log = createLog({
    level: config.logLevel,
    form: config.logForm,
    name: 'seed',
    fields: { sandboxId: config.sandboxId },
  })
  const db = openDatabase({
    url: config.databaseUrl,
    log,
    applicationName: `seed ${config.sandboxId}`,
    maxConnections: 1,
    limits: TIME_LIMITS.long,
  })
  const result = await seedBuilding(db, config, (percent, step) => void send({ type: 'progress', percent, step }))
  const storageBytes = await databaseBytes(db)
  await db.close()
  await send({ type: 'seeded', result: { ...result, storageBytes } })
  process.exit(0)
}
