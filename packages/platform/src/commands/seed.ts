import type { SeedConfig } from '@storey/contract'
import { openDatabase, TIME_LIMITS } from '@storey/kit/database'
import { createLog } from '@storey/kit/log'
import { databaseBytes } from '../disk-space/index.ts'
import { seedBuilding } from '../seed/index.ts'
import { onStop } from './channel.ts'
import { openChannel } from './open-channel.ts'

/**
 * 128 plus the number of SIGTERM: the code of a process that ends by that signal, as shells and containers report it.
 */
const STOPPED_EXIT_CODE = 143

export async function seed(config: SeedConfig): Promise<void> {
  // The process can be stopped at any point, since the control plane creates a new database for the next attempt. When
  // it is stopped, it ends itself by a signal, since an ordinary exit code would count as a failure of the seeding. The
  // first process of a container cannot end itself by a signal, so it exits with STOPPED_EXIT_CODE, which counts as the
  // end by a signal.
  const channel = await openChannel(config)
  onStop(channel, () => {
    process.kill(process.pid, 'SIGKILL')
    setImmediate(() => process.exit(STOPPED_EXIT_CODE))
  })
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
  const result = await seedBuilding(
    db,
    config,
    (percent, step) => void channel.send({ type: 'progress', percent, step }),
  )
  const storageBytes = await databaseBytes(db)
  await db.close()
  await channel.send({ type: 'seeded', result: { ...result, storageBytes } })
  await channel.close()
  process.exit(0)
}
