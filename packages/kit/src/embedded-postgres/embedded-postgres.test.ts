import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { findRunning } from './cluster.ts'
import { startEmbeddedPostgres } from './index.ts'
import { createServerLog } from './server-log.ts'

describe('the embedded PostgreSQL', () => {
  let root: string
  let folder: string
  beforeAll(() => {
    root = temporaryFolder('storey-embedded')
    chmodSync(root, 0o711)
    folder = join(root, 'postgres')
  })

  const start = (settings: Record<string, string> = {}) =>
    startEmbeddedPostgres({ folder, password: 'secret', log: silentLog, settings: { fsync: 'off', ...settings } })

  it('removes what a killed start has left', async () => {
    mkdirSync(`${folder}.new-1/base`, { recursive: true })
    const server = await start()
    await server.stop()
    expect(readdirSync(root).filter((name) => name.includes('.new'))).toEqual([])
  })

  it('[HST-39] keeps its log, and quotes it when it cannot start', async () => {
    const server = await start()
    await server.stop()
    const log = readFileSync(`${folder}.log`, 'utf8')
    expect(log).toMatch(/database system is ready to accept connections/)
    expect(log).toMatch(/database system is shut down/)
    await expect(start({ shared_buffers: 'lots' })).rejects.toThrow(
      /invalid value for parameter "shared_buffers": "lots"/,
    )
    expect(readFileSync(`${folder}.log`, 'utf8')).toContain('"lots"')
  })

  it('leaves no server when it is stopped during a restart', async () => {
    const server = await start()
    const { pid } = findRunning(folder)!
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => findRunning(folder)?.pid !== pid).toBe(true)
    await server.stop()
    await sleep(1_000)
    expect(findRunning(folder)).toBeUndefined()
  })

  it('[HST-39] limits the size of its log', () => {
    const log = createServerLog(join(root, 'small.log'))
    for (let i = 0; i < 12; i++) log.write(`${'x'.repeat(1024 * 1024)}\n`)
    const sizes = ['small.log', 'small.log.1'].map((name) => readFileSync(join(root, name)).length / 1024 / 1024)
    for (const size of sizes) expect(size).toBeLessThan(7)
  })
})
