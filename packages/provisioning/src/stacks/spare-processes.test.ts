import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { silentLog } from '@storey/kit/log'
import { afterEach, describe, expect, it } from 'vitest'
import { createSpareProcesses } from './spare-processes.ts'

describe('spare processes', () => {
  const spawned: ChildProcess[] = []
  afterEach(() => {
    for (const child of spawned.splice(0)) child.kill('SIGKILL')
  })

  const spares = (count: number) =>
    createSpareProcesses({
      count,
      spawn: () => {
        const child = spawn(process.execPath, ['-e', 'process.on("message", () => undefined)'], {
          stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        })
        spawned.push(child)
        return child
      },
      log: silentLog,
      pauseMs: 1,
    })

  it('are started ahead, and again after one is taken', async () => {
    const waiting = spares(2)
    expect(waiting.take()).toBeUndefined()
    await expect.poll(() => spawned).toHaveLength(2)
    expect(waiting.take()).toBe(spawned[0])
    expect(waiting.take()).toBe(spawned[1])
    expect(waiting.take()).toBeUndefined()
    await expect.poll(() => spawned).toHaveLength(4)
  })

  it('that exited are not taken', async () => {
    const waiting = spares(1)
    waiting.fill()
    await expect.poll(() => spawned).toHaveLength(1)
    spawned[0]!.kill('SIGKILL')
    await once(spawned[0]!, 'exit')
    expect(waiting.take()).toBeUndefined()
    await expect.poll(() => waiting.take()).toBe(spawned[1])
  })

  it('are not started when there should be none', async () => {
    const waiting = spares(0)
    expect(waiting.take()).toBeUndefined()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(spawned).toEqual([])
  })
})
