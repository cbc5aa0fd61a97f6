import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SeedConfig, ServeConfig } from '@storey/contract'
import { silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterEach, expect, it } from 'vitest'
import { createProcessRuntime } from './process-runtime.ts'
import { SeedKilled, StackEnded } from './stack-runtime.ts'

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

/** A runtime whose stacks run this program. */
function runtimeOf(script: string) {
  const folder = temporaryFolder('storey-runtime')
  const program = join(folder, 'stack.mjs')
  writeFileSync(program, script)
  return createProcessRuntime({
    program,
    folder: join(folder, 'sandboxes'),
    compileCache: join(folder, 'cache'),
    memoryLimitMb: 128,
    environment: {},
    log: silentLog,
  })
}

it('[STK-41] invalid messages of a stack are ignored, before and after it listens', async () => {
  const odd = { toString: 1, valueOf: 1 }
  const invalid = [
    ...[null, 7, 'due', [], [null], {}, { type: 7 }, { type: null }, { type: 'unknown' }, { type: ['due'] }],
    ...[{ type: 'due' }, { type: 'due', at: odd }, { type: 'due', at: ['2026-01-01T00:00:00Z'] }],
    ...[
      { type: 'storage', bytes: odd },
      { type: 'schema', state: odd },
      { type: 'report', requests: odd },
    ],
    ...[{ type: 'listening' }, { type: 'listening', port: odd }, { type: 'listening', port: 70_000 }],
    ...[
      { type: 'ended', connection: odd },
      { type: 'returned', connection: 1, read: odd, silentMs: odd },
    ],
    ...[{ type: 'served' }, { type: 'served', requests: odd, messages: [null, odd, { connection: 1, count: odd }] }],
  ]
  const runtime = runtimeOf(`
    const sendAll = (messages) => messages.forEach((message) => process.send(message))
    const invalid = ${JSON.stringify(invalid)}
    sendAll([...invalid, { type: 'listening', port: 4711 }])
    process.on('message', ({ type }) => {
      if (type === 'stop') process.exit()
      sendAll([...invalid, { type: 'storage', bytes: 12 }, { type: 'due', at: '2026-01-01T00:00:00Z' }])
    })`)
  const due: (Date | null)[] = []
  const storage: number[] = []
  const stack = await runtime.start(
    { sandboxId: 'sbx_one' } as ServeConfig,
    (at) => due.push(at),
    (bytes) => storage.push(bytes),
  )
  expect(stack.port).toBe(4711)
  runtime.send('sbx_one', { type: 'people' })
  await expect.poll(() => due).toEqual([new Date('2026-01-01T00:00:00Z')])
  expect(storage).toEqual([12])
  await runtime.stop('sbx_one')
})

it.runIf(process.platform !== 'win32').each([
  ['bytes that are not a message', "writeSync(3, 'nonsense\\n')"],
  ['a message of Node at a wrong time', "process.send({ cmd: 'NODE_HANDLE_ACK' })"],
])('[STK-41] a stack that sends %s is killed', async (_what, statement) => {
  const runtime = runtimeOf(`
    import { writeSync } from 'node:fs'
    ${statement}
    process.on('message', () => undefined)`)
  const starting = runtime.start({ sandboxId: 'sbx_one' } as ServeConfig, () => undefined)
  const err: unknown = await starting.catch((err) => err)
  expect(err).toBeInstanceOf(StackEnded)
  expect(err).toMatchObject({ exit: { signal: 'SIGKILL' } })
})
