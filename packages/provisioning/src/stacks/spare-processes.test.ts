import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { silentLog } from '@storey/kit/log'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { createSpareProcesses, takesWork } from './spare-processes.ts'

describe('spare processes', () => {
  const all: ChildProcess[] = []
  afterEach(() => {
    for (const child of all.splice(0)) child.kill('SIGKILL')
  })

  function spawnScript(script: string): ChildProcess {
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    all.push(child)
    return child
  }

  function createSpares(count: number) {
    const spawned: ChildProcess[] = []
    const spares = createSpareProcesses({
      count,
      spawn: () => {
        const child = spawnScript('process.on("message", () => undefined)')
        spawned.push(child)
        return child
      },
      log: silentLog,
      pauseMs: 1,
    })
    return { spares, spawned }
  }

  it('are started in advance, and replaced when they are taken', async () => {
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

  it('are not started when their number is set to 0', async () => {
    const { spares, spawned } = createSpares(0)
    expect(spares.take()).toBeUndefined()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(spawned).toEqual([])
  })

  it.each([
    [
      'Node throws',
      () => {
        throw new Error('spawn ENOMEM')
      },
    ],
    ['the start fails later', () => spawn('/none')],
  ])('that cannot be started, because %s, are started when the system can again', async (_why, fail) => {
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) })
    let failures = 0
    let isShort = true
    const spawnIfPossible = () => {
      if (!isShort) return spawnScript('process.on("message", () => undefined)')
      failures++
      return fail()
    }
    const options = { log, pauseMs: 1, retry: { firstMs: 1, maxMs: 5 } }
    const spares = createSpareProcesses({ count: 1, spawn: spawnIfPossible, ...options })
    spares.fill()
    await expect.poll(() => failures).toBeGreaterThan(2)
    expect(spares.take()).toBeUndefined()
    isShort = false
    await expect.poll(() => spares.take()).toBeDefined()
    await spares.close()
    expect(lines).toEqual(['background work failed, retrying', 'background work recovered'])
  })

  it('confirm that they have received their work', async () => {
    const child = spawnScript('process.on("message", () => [null, {}, { type: "taken" }].map((m) => process.send(m)))')
    child.send({})
    expect(await takesWork(child, silentLog)).toBe(true)
    expect(child.killed).toBe(false)
  })

  it.each([
    ['hang', 'process.on("message", () => undefined)', 200],
    ['exit', 'process.on("message", () => process.exit(1))', 60_000],
  ])('that %s instead of confirming their work are not used, and end', async (_how, script, limitMs) => {
    const child = spawnScript(script)
    const exited = once(child, 'exit')
    child.send({})
    expect(await takesWork(child, silentLog, limitMs)).toBe(false)
    await exited
  })
})
