import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '@storey/kit/log'
import { describe, expect, it } from 'vitest'
import type { SandboxRow } from '../features/sandboxes/index.ts'
import { watchForChange } from './watch-for-change.ts'

const row = { status: 'ready', removingAt: null, requestedAt: new Date(0) } as SandboxRow
const options = { row, onChange: () => new Error('changed'), log: silentLog, everyMs: 5 }

describe('the watch on the sandbox of a move', () => {
  it('reads the row again only after the previous read has ended', async () => {
    let [under, most, reads] = [0, 0, 0]
    const read = async () => {
      reads++
      most = Math.max(most, ++under)
      await sleep(30)
      under--
      return row
    }
    const watch = watchForChange({ ...options, read })
    await expect.poll(() => reads).toBeGreaterThan(3)
    watch.end()
    expect(most).toBe(1)
    expect(watch.signal.aborted).toBe(false)
  })

  it.each([
    ['removed', undefined],
    ['being removed', { ...row, removingAt: new Date() }],
    ['reset', { ...row, requestedAt: new Date(1) }],
    ['failed', { ...row, status: 'failed' } as SandboxRow],
  ])('aborts the copy of a sandbox that is %s, even if the row could not be read before', async (_, now) => {
    const reads: (() => Promise<SandboxRow | undefined>)[] = [
      async () => row,
      () => Promise.reject(new Error('connection lost')),
    ]
    const watch = watchForChange({ ...options, read: () => reads.shift()?.() ?? Promise.resolve(now) })
    await expect.poll(() => watch.signal.aborted).toBe(true)
    expect(watch.signal.reason).toEqual(new Error('changed'))
    watch.end()
  })
})
