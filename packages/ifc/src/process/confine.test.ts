import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Attempts } from '../testing/intruder.ts'
import { TemporaryFolder } from '../testing/temporary-folder.ts'
import { hasNetwork, startConfined } from './confine.ts'

const INTRUDER = fileURLToPath(new URL('../testing/intruder.ts', import.meta.url))
const BUSY = fileURLToPath(new URL('../testing/busy.ts', import.meta.url))

const temporary = new TemporaryFolder()
let attempts: Attempts
const server = createServer((socket) => socket.destroy())

beforeAll(async () => {
  const root = realpathSync(temporary.path)
  const folder = join(root, 'imports')
  mkdirSync(folder)
  const paths = { file: join(folder, 'a.ifc'), neighbour: join(folder, 'b.ifc'), secret: join(root, 'master-secret') }
  for (const path of Object.values(paths)) writeFileSync(path, 'content')
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  attempts = { ...paths, folder, port: (server.address() as { port: number }).port }
})
afterAll(() => {
  server.close()
  temporary[Symbol.dispose]()
})

describe('the reader of building models', () => {
  it('[IMP-24] can read its file and its program and nothing else, and can neither write nor start processes', async () => {
    const child = startConfined(INTRUDER, attempts.file, 256)
    const found = await new Promise<Record<string, unknown>>((resolve, reject) => {
      child.once('message', (message) => resolve(message as Record<string, unknown>))
      child.once('exit', (code, signal) => reject(new Error(`ended with ${code} ${signal}`)))
      child.send(attempts)
    })
    const { ownFile, network, variables, ...refused } = found
    expect([ownFile, variables]).toEqual(['done', 0])
    for (const [what, came] of Object.entries(refused)) {
      const code = what === 'native' ? 'ERR_DLOPEN_DISABLED' : 'ERR_ACCESS_DENIED'
      expect.soft([what, came]).toEqual([what, code])
    }
    // An older Node cannot deny network access, and some systems cannot start a process without network access.
    expect(network === 'done').toBe(hasNetwork())
  })

  it.runIf(existsSync('/proc/self/stat'))('ends with the process that started it, even while it computes', async () => {
    const script = `
      import { startConfined, startGuard } from ${JSON.stringify(new URL('./confine.ts', import.meta.url))}
      const child = startConfined(${JSON.stringify(BUSY)}, ${JSON.stringify(attempts.file)}, 256)
      const guard = await startGuard(child, 256)
      child.send('begin', () => console.log(JSON.stringify([child.pid, guard.pid])))`
    const starter = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [output] = (await once(starter.stdout, 'data')) as [Buffer]
    const pids = JSON.parse(output.toString()) as number[]
    expect(pids.map(isRunning)).toEqual([true, true])
    starter.kill('SIGKILL')
    await expect.poll(() => pids.map(isRunning)).toEqual([false, false])
  })
})

/** A process that has ended can stay in the process table as a zombie for a while. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
