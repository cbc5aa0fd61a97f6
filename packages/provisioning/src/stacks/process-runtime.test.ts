import { join } from 'node:path'
import type { SeedConfig } from '@storey/contract'
import { silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterEach, expect, it } from 'vitest'
import { createProcessRuntime } from './process-runtime.ts'
import { SeedKilled } from './stack-runtime.ts'

const { execPath } = process
afterEach(() => {
  process.execPath = execPath
})

it('[SBX-51] a seeding whose process the system could not start counts as interrupted', async () => {
  const folder = temporaryFolder('storey-runtime')
  const runtime = createProcessRuntime({
    program: join(folder, 'stack.ts'),
    folder: join(folder, 'sandboxes'),
    compileCache: join(folder, 'cache'),
    memoryLimitMb: 128,
    environment: {},
    log: silentLog,
  })
  process.execPath = join(folder, 'nothing')
  const seeding = runtime.seed({ sandboxId: 'sbx_one' } as SeedConfig, () => undefined, new AbortController().signal)
  await expect(seeding).rejects.toBeInstanceOf(SeedKilled)
})
