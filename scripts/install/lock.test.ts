import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { withLock } from './lock.mjs'

const newLock = () => join(temporaryFolder('storey-install'), 'lock')
const silent = () => undefined

describe('a lock file of a script', () => {
  it('lets one process work at a time, and reports that the other one waits', async () => {
    const file = newLock()
    const order: string[] = []
    const printed: string[] = []
    let finish!: () => void
    const first = withLock(file, 'installing packages', async () => {
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      order.push('first')
    })
    const second = withLock(
      file,
      'installing packages',
      async (wasInterrupted: boolean) => void order.push(`second ${wasInterrupted}`),
      (text: string) => void printed.push(text),
    )
    await expect.poll(() => printed.length).toBe(1)
    finish()
    await Promise.all([first, second])
    expect(order).toEqual(['first', 'second false'])
    expect(printed[0]).toContain(`Process ${process.pid} is installing packages`)
    expect(existsSync(file)).toBe(false)
  })

  it('is taken over from an interrupted process, and `work` learns that the process was interrupted', async () => {
    const file = newLock()
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    writeFileSync(file, String(pid))
    expect(await withLock(file, 'installing packages', async (wasInterrupted: boolean) => wasInterrupted, silent)).toBe(
      true,
    )
    expect(existsSync(file)).toBe(false)
  })

  it('is taken over when the id of the interrupted process belongs to a later one, even if that is this process', async () => {
    const file = newLock()
    for (const pid of process.platform === 'linux' ? [process.pid, process.ppid] : [process.pid]) {
      writeFileSync(file, String(pid))
      const longAgo = new Date(Date.now() - 24 * 3_600_000)
      utimesSync(file, longAgo, longAgo)
      expect(await withLock(file, 'building', async (wasInterrupted: boolean) => wasInterrupted, silent)).toBe(true)
    }
  })

  it('is taken over by one of several processes that find it', async () => {
    const file = newLock()
    const log = `${file}.log`
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    writeFileSync(file, String(pid))
    writeFileSync(log, '')
    const program = `
      const { withLock } = await import(${JSON.stringify(pathToFileURL(resolve('scripts/install/lock.mjs')).href)})
      const { appendFileSync } = await import('node:fs')
      const { setTimeout: sleep } = await import('node:timers/promises')
      await withLock(${JSON.stringify(file)}, 'building', async (wasInterrupted) => {
        appendFileSync(${JSON.stringify(log)}, wasInterrupted + ' begins,')
        await sleep(20)
        appendFileSync(${JSON.stringify(log)}, wasInterrupted + ' ends,')
      }, () => undefined)`
    const processes = Array.from({ length: 5 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' }),
    )
    const codes = await Promise.all(processes.map((child) => new Promise((ended) => child.on('exit', ended))))
    expect(codes).toEqual([0, 0, 0, 0, 0])
    expect(readFileSync(log, 'utf8')).toBe(`true begins,true ends,${'false begins,false ends,'.repeat(4)}`)
    expect(readdirSync(dirname(file))).toEqual(['lock.log'])
  }, 30_000)

  it('is taken over when it is empty, because its process was killed before it wrote its id', async () => {
    const file = newLock()
    writeFileSync(file, '')
    const before = new Date(Date.now() - 60_000)
    utimesSync(file, before, before)
    expect(await withLock(file, 'building', async (wasInterrupted: boolean) => wasInterrupted, silent)).toBe(true)
    expect(existsSync(file)).toBe(false)
  })

  it('is released when `work` fails', async () => {
    const file = newLock()
    await expect(withLock(file, 'installing packages', () => Promise.reject(new Error('no')), silent)).rejects.toThrow(
      'no',
    )
    expect(existsSync(file)).toBe(false)
  })
})
