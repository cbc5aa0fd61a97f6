import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServeConfig } from '@storey/contract'
import { type Log, silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { beforeEach, describe, expect, it } from 'vitest'
import { createProcessRuntime } from './process-runtime.ts'

const INTRUDER = fileURLToPath(new URL('../testing/intruder-stack.ts', import.meta.url))

/** Whether other users can enter a folder. They cannot if the repository is below a private folder. */
const isOpen = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (dirname(path) === path || isOpen(dirname(path)))
const isSeparate = process.getuid?.() === 0 && isOpen(dirname(INTRUDER)) && isOpen(dirname(process.execPath))

const WARNING = 'running stacks as root, separate users are not available'
const expectedLines = process.getuid?.() === 0 && !isSeparate ? [WARNING] : []

let data: string
let lines: string[]

beforeEach(() => {
  data = temporaryFolder('storey-users')
  chmodSync(data, 0o711)
  writeFileSync(join(data, 'master-secret'), 'secret', { mode: 0o600 })
  lines = []
})

function runtime(folder = data) {
  const log: Log = Object.create(silentLog, { warn: { value: (_: object, line: string) => void lines.push(line) } })
  return createProcessRuntime({
    program: INTRUDER,
    folder: join(folder, 'sandboxes'),
    compileCache: join(folder, 'cache'),
    memoryLimitMb: 128,
    environment: {},
    log,
  })
}

/** Starts a stack that tries to read data of others, and returns the results of its attempts. */
async function intrude(stacks: ReturnType<typeof runtime>, sandboxId: string, other: string) {
  const config = { sandboxId, corsOrigins: [join(data, 'sandboxes', other), join(data, 'master-secret')] }
  await stacks.start(config as unknown as ServeConfig, () => undefined)
  await stacks.stop(sandboxId)
  return JSON.parse(readFileSync(join(data, 'sandboxes', sandboxId, 'found.json'), 'utf8'))
}

describe('the user of a stack', () => {
  it('[STK-20] is separate for each sandbox when the service is root, and can read no secret and no files of other sandboxes', async () => {
    const stacks = runtime()
    const one = await intrude(stacks, 'sbx_one', 'sbx_two')
    const two = await intrude(stacks, 'sbx_two', 'sbx_one')
    expect(one.ownFolder).toBe('done')
    if (!isSeparate) {
      // The service is not root, or other users cannot enter the folder of the program or of Node.js, so all stacks run
      // as the current user.
      expect([one.uid, two.uid]).toEqual([process.getuid?.(), process.getuid?.()])
      return
    }
    const refused = { environment: 'EACCES', secret: 'EACCES', code: 'EACCES', signal: 'EPERM', ownFolder: 'done' }
    expect(two).toMatchObject({ ...refused, otherFolder: 'EACCES', otherFile: 'EACCES' })
    expect(one).toMatchObject(refused)
    expect(one.uid).not.toBe(two.uid)
    for (const { uid } of [one, two]) expect(uid).toBeGreaterThan(1000)
    expect(statSync(join(data, 'sandboxes', 'sbx_one'))).toMatchObject({ uid: one.uid, gid: one.uid })
    expect(statSync(join(data, 'sandboxes', 'sbx_one')).mode & 0o777).toBe(0o700)
    expect(lines).toEqual([])
  })

  it('[STK-20] is separate even in a folder of an earlier version, whose stacks ran as root', async () => {
    mkdirSync(join(data, 'sandboxes', 'sbx_one', 'imports'), { recursive: true, mode: 0o700 })
    chmodSync(join(data, 'sandboxes'), 0o700)
    writeFileSync(join(data, 'sandboxes', 'sbx_one', 'imports', 'model.ifc'), 'theirs', { mode: 0o600 })
    const { uid, ownFolder } = await intrude(runtime(), 'sbx_one', 'sbx_two')
    expect(ownFolder).toBe('done')
    expect(uid !== process.getuid?.()).toBe(isSeparate)
    expect(statSync(join(data, 'sandboxes', 'sbx_one', 'imports', 'model.ifc')).uid).toBe(uid)
    expect(lines).toEqual(expectedLines)
  })

  it('[STK-20] is separate even if the compile cache was created with a umask that excludes other users', async () => {
    mkdirSync(join(data, 'cache'), { mode: 0o700 })
    const { uid } = await intrude(runtime(), 'sbx_one', 'sbx_two')
    expect(uid !== process.getuid?.()).toBe(isSeparate)
    expect(lines).toEqual(expectedLines)
  })

  it('[STK-20] cannot be separate in a data folder that other users cannot enter: a service that is root logs a warning', async () => {
    const closed = join(data, 'closed')
    mkdirSync(closed, { mode: 0o700 })
    const stacks = runtime(closed)
    const expected = process.getuid?.() === 0 ? [WARNING] : []
    expect(lines).toEqual(expected)
    expect(stacks.status('sbx_one')).toBe('stopped')
  })
})
