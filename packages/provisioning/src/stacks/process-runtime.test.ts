import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SeedConfig, ServeConfig } from '@storey/contract'
import { silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterEach, expect, it } from 'vitest'
import { createProcessRuntime } from './process-runtime.ts'
import { SeedKilled } from './stack-runtime.ts'

const { execPath } = process
afterEach(() => {
  process.execPath = execPath
})

it('[SBX-51] a seeding counts as interrupted if the operating system cannot start its process', async () => {
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

it('[HST-83] a stack that started too slowly has more time at the next start', async () => {
  const folder = temporaryFolder('storey-runtime')
  const program = join(folder, 'stack.mjs')
  writeFileSync(program, 'setInterval(() => undefined, 1000)')
  const runtime = createProcessRuntime({
    program,
    folder: join(folder, 'sandboxes'),
    compileCache: join(folder, 'cache'),
    memoryLimitMb: 128,
    environment: {},
    startLimitMs: 1_000,
    log: silentLog,
  })
  const start = async (sandboxId: string) => {
    const failed = await runtime.start({ sandboxId } as ServeConfig, () => undefined).catch((err) => err)
    return `${failed.name}: ${failed.message}`.replace(/, with .*/, '')
  }
  const after = (seconds: number) => `StartTimedOut: the stack did not listen within ${seconds} s`
  expect(await start('sbx_one')).toBe(after(1))
  expect(await Promise.all([start('sbx_one'), start('sbx_two')])).toEqual([after(2), after(1)])
})
