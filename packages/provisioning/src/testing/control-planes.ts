import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { movableClock } from '@storey/kit/clock'
import { createClockCheck } from '@storey/kit/clock-check'
import { type Migration, openDatabase, readMigrations } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { testDatabase } from '@storey/kit/testing'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import type { ControlPlane, ControlPlaneConfig } from '../control-plane.ts'
import { createControlPlane } from '../create-control-plane.ts'
import { CONTROL_MIGRATIONS } from '../migrations.ts'
import { mintOperatorKey } from '../operator.ts'
import { type CallOptions, call } from './control-plane.ts'
import { createSharedRuntime, endRuns } from './shared-runtime.ts'
import { testConfig } from './test-config.ts'

const program = fileURLToPath(new URL('./scripted-stack.ts', import.meta.url))
const tenantMigrations: Migration[] = [
  { version: 1, name: 'rooms', text: 'create table rooms (id int primary key)', checksum: 'rooms' },
]
const TIMES = { durationMs: 2_000, everyMs: 100, usesEveryMs: 100, confirmMs: 300 }

/** Several control planes on one database, with scripted stacks that all of them can use. */
export async function testControlPlanes(changes: Partial<ControlPlaneConfig> = {}) {
  const test = await testDatabase({ migrations: readMigrations(CONTROL_MIGRATIONS) })
  const folder = temporaryFolder('storey-planes')
  const runs = join(folder, 'runs')
  const clock = movableClock()
  const config: ControlPlaneConfig = {
    ...testConfig(test.url),
    maxActiveSandboxes: 5,
    tickMs: 200,
    planeTimes: TIMES,
    ...changes,
  }
  const open: { close(): Promise<void> }[] = []

  /** `migrations`: those of the program of this control plane. */
  async function start(migrations: readonly Migration[] = tenantMigrations) {
    const control = openDatabase({ url: test.url, log: silentLog, applicationName: 'test', maxConnections: 12 })
    const runtime = createSharedRuntime({
      ...{ program, folder: join(folder, 'sandboxes'), runs, memoryLimitMb: 256, environment: {}, log: silentLog },
      compileCache: resolve('node_modules', '.cache', 'test-stacks'),
    })
    const serverTime = async () => clock.now()
    const agreement = { afterStartMs: 0, afterDisagreementMs: 60_000, beforeRemovalMs: 0 }
    const clockCheck = createClockCheck({ clock, serverTime, elapsedMs: clock.elapsedMs, agreement, log: silentLog })
    const parts = { control, tenantMigrations: migrations, runtime, clock, clockCheck, serverTime, log: silentLog }
    const plane = await createControlPlane(config, parts)
    await new Promise<void>((resolve) => plane.server.listen(0, '127.0.0.1', resolve))
    plane.start()
    const port = (plane.server.address() as { port: number }).port
    const part = { close: () => plane.close().then(() => control.close()) }
    open.push(part)
    return {
      plane,
      control,
      runtime,
      port,
      call: (options: CallOptions) => call(port, options),
      async close() {
        open.splice(open.indexOf(part), 1)
        await part.close()
      },
    }
  }

  return {
    clock,
    config,
    db: test.database,
    folder,
    runs,
    start,
    async newKey(plane: ControlPlane): Promise<string> {
      const { id } = await plane.organizations.create('Test')
      await plane.organizations.invite(`dev@${id.slice(4)}.example`, id)
      const deps = { control: test.database, clock, findDeveloper: plane.organizations.findDeveloper }
      return (await mintOperatorKey(deps, { organizationId: id, scope: 'sandbox', neverExpires: true })).plaintext
    },
    async drop() {
      for (const part of open.splice(0)) await part.close()
      await endRuns(runs)
      await test.drop()
    },
  }
}

export type TestPlane = Awaited<ReturnType<Awaited<ReturnType<typeof testControlPlanes>>['start']>>
