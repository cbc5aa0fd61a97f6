import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { readSettings, startService } from '@storey/host'
import { createFleetRuntime } from './fleet-runtime.ts'

/**
 * The whole service, except that its stacks are those of fleet-runtime.ts. On SIGUSR2 it writes to a file for how many
 * milliseconds its event loop was blocked at most since the previous SIGUSR2.
 */
const settings = readSettings(process.env)
const fail = (err: Error) => {
  process.stderr.write(`${err.stack}\n`)
  process.exit(1)
}
const runtime = await createFleetRuntime(join(settings.dataDir, 'fleet'))
const service = await startService(settings, fail, { runtime }).catch(fail)
const delay = monitorEventLoopDelay({ resolution: 2 })
delay.enable()
process.on('SIGUSR2', () => {
  writeFileSync(join(settings.dataDir, 'longest-block'), String(delay.max / 1e6))
  delay.reset()
})
process.once('SIGTERM', async () => {
  await service?.close()
  process.exit(0)
})
process.on('disconnect', () => process.exit(1))
process.stdout.write('The fleet is ready.\n')
