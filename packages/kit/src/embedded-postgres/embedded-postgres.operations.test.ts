import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { LeftRunning, Lifecycle } from '../lifecycle.ts'
import { silentLog } from '../log.ts'
import { isAlive } from '../processes.ts'
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

  it('removes the files of a start that was killed', async () => {
    mkdirSync(`${folder}.new-1/base`, { recursive: true })
    const server = await start()
    await server.stop()
    expect(readdirSync(root).filter((name) => name.includes('.new'))).toEqual([])
  })

  it('[HST-39] keeps its log, and quotes the log in the error when it cannot start', async () => {
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

  it.runIf(existsSync('/proc/self/oom_score_adj'))(
    '[HST-76] has backends that the system kills before the server when memory runs out',
    async () => {
      const server = await start()
      const client = new pg.Client(server.url)
      await client.connect()
      const { pid } = (await client.query('select pg_backend_pid() as pid')).rows[0]
      const scoreOf = (process: number | string) => Number(readFileSync(`/proc/${process}/oom_score_adj`, 'utf8'))
      expect(scoreOf(findRunning(folder)!.pid)).toBe(scoreOf('self'))
      expect(scoreOf(pid)).toBe(Math.min(scoreOf('self') + 100, 1_000))
      await client.end()
      await server.stop()
    },
  )

  it('[HST-84] leaves no server running when its folder was created with another secret', async () => {
    await (await start()).stop()
    const other = startEmbeddedPostgres({ folder, password: 'another', log: silentLog, settings: { fsync: 'off' } })
    await expect(other).rejects.toThrow('The data folder was created with another master secret')
    expect(findRunning(folder)).toBeUndefined()
    await (await start()).stop()
  })

  it('[HST-77] names the process of the server in the error if the server does not stop', async () => {
    const server = await startEmbeddedPostgres({ folder, password: 'secret', log: silentLog, stopLimitMs: 200 })
    const { pid } = findRunning(folder)!
    process.kill(pid, 'SIGSTOP')
    const err = await server.stop().catch((reason: unknown) => reason)
    expect(err).toBeInstanceOf(LeftRunning)
    expect((err as Error).message).toBe(`PostgreSQL (process ${pid}) does not stop`)
    const lifecycle = new Lifecycle(silentLog)
    lifecycle.onClose('PostgreSQL', () => Promise.reject(err))
    await lifecycle.close()
    expect(lifecycle.hasLeftRunning).toBe(true)
    process.kill(pid, 'SIGCONT')
    await expect.poll(() => findRunning(folder)).toBeUndefined()
  })

  it('leaves no server running when it is stopped during a restart', async () => {
    const server = await start()
    const { pid } = findRunning(folder)!
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => findRunning(folder)?.pid !== pid).toBe(true)
    await server.stop()
    await sleep(1_000)
    expect(findRunning(folder)).toBeUndefined()
  })

  it('is restarted if it exits right after the start has connected to it', async () => {
    const { connect } = pg.Client.prototype
    const connecting = vi.spyOn(pg.Client.prototype, 'connect').mockImplementation(async function (this: pg.Client) {
      await Reflect.apply(connect, this, [])
      connecting.mockRestore()
      const { pid } = findRunning(folder)!
      process.kill(pid, 'SIGKILL')
      await expect.poll(() => isAlive(pid)).toBe(false)
    })
    const server = await start()
    const ask = async () => {
      const client = new pg.Client(server.url)
      client.on('error', () => undefined)
      await client.connect()
      await client.end()
      return 'connected'
    }
    await expect.poll(() => ask().catch(() => undefined)).toBe('connected')
    await server.stop()
    expect(findRunning(folder)).toBeUndefined()
  })

  it('[HST-69] does not mistake another process for its server, and starts even if an old lock file has the id of a running process', async () => {
    const server = await start()
    const file = join(folder, 'postmaster.pid')
    const lock = readFileSync(file, 'utf8')
    expect(findRunning(folder)).toEqual({ pid: Number(lock.split('\n')[0]), port: Number(lock.split('\n')[3]) })
    const copy = join(root, 'copy')
    mkdirSync(copy)
    writeFileSync(join(copy, 'postmaster.pid'), lock)
    expect(findRunning(copy)).toBeUndefined()
    await server.stop()
    const { uid, gid } = statSync(folder)
    const other = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' })
    try {
      for (const text of [lock.replace(/^\d+/, `${other.pid}`), '']) {
        writeFileSync(file, text, { mode: 0o600 })
        chownSync(file, uid, gid)
        const again = await start()
        await again.stop()
      }
      expect(other).toMatchObject({ exitCode: null, signalCode: null })
    } finally {
      other.kill()
    }
  })

  it('[HST-70] starts if all files of its folder belong to the user of the service, as after a copy', async () => {
    const server = await start()
    await server.stop()
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
    for (const path of [folder, ...names]) lchownSync(path, process.getuid!(), process.getgid!())
    const again = await start()
    await again.stop()
  })

  it('[HST-39] limits the size of its log', () => {
    const log = createServerLog(join(root, 'small.log'))
    for (let i = 0; i < 12; i++) log.write(`${'x'.repeat(1024 * 1024)}\n`)
    const sizes = ['small.log', 'small.log.1'].map((name) => readFileSync(join(root, name)).length / 1024 / 1024)
    for (const size of sizes) expect(size).toBeLessThan(7)
  })
})
