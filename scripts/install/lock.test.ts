import { spawnSync } from 'node:child_process'
import { existsSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

  it('is released when `work` fails', async () => {
    const file = newLock()
    await expect(withLock(file, 'installing packages', () => Promise.reject(new Error('no')), silent)).rejects.toThrow(
      'no',
    )
    expect(existsSync(file)).toBe(false)
  })
})
