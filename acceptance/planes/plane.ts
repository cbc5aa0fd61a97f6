/**
 * A control plane whose stacks continue to run when it ends, as in a cluster. A test starts several of these processes,
 * which share the stacks. PLANES_FOLDER is the folder of the stacks; STACK_REPLICAS is the number of processes that
 * serve each sandbox.
 */

import { join, resolve } from 'node:path'
import { createLog } from '@storey/kit/log'
import { stackProgram } from '@storey/platform/program'
import { startService } from '../../packages/host/src/service.ts'
import { readSettings } from '../../packages/host/src/settings.ts'
import { createSharedRuntime } from '../../packages/provisioning/src/testing/shared-runtime.ts'

const settings = readSettings(process.env)
const folder = process.env.PLANES_FOLDER!
const log = createLog({ level: settings.logLevel, form: 'lines', name: 'storey' })
const runtime = createSharedRuntime({
  program: stackProgram().file,
  folder: join(folder, 'sandboxes'),
  runs: join(folder, 'runs'),
  compileCache: resolve('node_modules', '.cache', 'node'),
  memoryLimitMb: 512,
  environment: settings.stackEnvironment,
  replicas: Number(process.env.STACK_REPLICAS ?? 1),
  log,
})
const onFatal = (err: Error) => {
  process.stderr.write(`${err.message}\n`)
  process.exit(1)
}
const service = await startService(settings, onFatal, { runtime })
process.stdout.write('Storey is ready.\n')

let isEnding = false
const end = async () => {
  if (isEnding) return
  isEnding = true
  await service.close()
  process.exit(0)
}
process.on('SIGTERM', end).on('disconnect', end)
