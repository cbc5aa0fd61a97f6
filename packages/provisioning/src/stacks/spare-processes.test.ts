import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { silentLog } from '@storey/kit/log'
import { afterEach, describe, expect, it } from 'vitest'
import { createSpareProcesses } from './spare-processes.ts'

describe('spare processes', () => {
  const all: ChildProcess[] = []
  afterEach(() => {
    for (const child of all.splice(0)) child.kill('SIGKILL')
  })

  function createSpares(count: number) {
    const spawned: ChildProcess[] = []
    const spares = createSpareProcesses({
      count,
      spawn: () => {
        const child = spawn(process.execPath, ['-e', 'process.on("message", () => undefined)'], {
          stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        })
        spawned.push(child)
        all.push(child)
        return child
      },
      log: silentLog,
      pauseMs: 1,
    })
    return { spares, spawned }
  }

  it('are started ahead, and again after one is taken', async () => {
    const { spares, spawned } = createSpares(2)
    expect(spares.take()).toBeUndefined()
    await expect.poll(() => spawned.length).toBe(2)
    expect(spares.take()).toBe(spawned[0])
    expect(spares.take()).toBe(spawned[1])
    expect(spares.take()).toBeUndefined()
    await expect.poll(() => spawned.length).toBe(4)
  })

  it('that exited are not taken', async () => {
    const { spares, spawned } = createSpares(1)
    spares.fill()
    await expect.poll(() => spawned.length).toBe(1)
    spawned[0]!.kill('SIGKILL')
    await once(spawned[0]!, 'exit')
    expect(spares.take()).toBeUndefined()
    await expect.poll(() => spawned.length).toBe(2)
    expect(spares.take()).toBe(spawned[1])
  })

  it('are not started when there should be none', async () => {
    const { spares, spawned } = createSpares(0)
    expect(spares.take()).toBeUndefined()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(spawned).toEqual([])
  })
})
