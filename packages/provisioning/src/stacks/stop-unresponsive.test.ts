import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { createReplicas, type StackAddress } from './replicas.ts'
import type { RunningStack } from './stack-runtime.ts'
import { createStopUnresponsive } from './stop-unresponsive.ts'

const newStack = (): RunningStack => ({ host: '127.0.0.1', port: 1, ended: new Promise(() => undefined) })

describe('a stack that does not respond', () => {
  function setUp() {
    const lines: Record<string, unknown>[] = []
    const stops: (() => void)[] = []
    const stopUnresponsive = createStopUnresponsive({
      stop: () => new Promise((resolve) => stops.push(resolve)),
      log: pino({}, { write: (line) => void lines.push(JSON.parse(line)) }),
    })
    return { lines, stops, stopUnresponsive }
  }

  it('[STK-34] is stopped once, with one log line that counts the requests', async () => {
    const { lines, stops, stopUnresponsive } = setUp()
    const [stack, other] = [newStack(), newStack()]
    for (let i = 0; i < 40; i++) stopUnresponsive('sbx_a', stack)
    stopUnresponsive('sbx_b', other)
    expect(stops).toHaveLength(2)
    for (const stop of stops) stop()
    await expect.poll(() => lines).toHaveLength(2)
    expect(lines).toMatchObject([
      { sandboxId: 'sbx_a', requests: 40, msg: 'stack not responding, stopped it' },
      { sandboxId: 'sbx_b', requests: 1 },
    ])
  })

  it('[STK-34] is stopped by the next report if the first attempt to stop it failed', async () => {
    const lines: Record<string, unknown>[] = []
    const results = [Promise.reject(new Error('not ready')), Promise.resolve()]
    const stopUnresponsive = createStopUnresponsive({
      stop: () => results.shift()!,
      log: pino({}, { write: (line) => void lines.push(JSON.parse(line)) }),
    })
    const stack = newStack()
    stopUnresponsive('sbx_a', stack)
    await expect.poll(() => lines).toMatchObject([{ msg: 'could not stop unresponsive stack' }])
    stopUnresponsive('sbx_a', stack)
    await expect.poll(() => lines).toMatchObject([{}, { msg: 'stack not responding, stopped it' }])
  })

  it('[KUB-23] loses only the replica that does not respond, if the stack has other replicas', async () => {
    const { lines, stops, stopUnresponsive } = setUp()
    const [one, two] = [1, 2].map((n) => ({ host: `10.0.0.${n}`, port: 1 })) as [StackAddress, StackAddress]
    const ended: StackAddress[] = []
    const replicas = createReplicas([one, two], { end: async (replica) => void ended.push(replica) })
    const stack = { ...newStack(), replicas }
    for (let i = 0; i < 3; i++) stopUnresponsive('sbx_a', stack, one)
    await expect.poll(() => lines).toHaveLength(1)
    expect([ended, stops]).toEqual([[one], []])
    // A report about a replica that is gone comes too late, and is ignored.
    replicas.set([two])
    stopUnresponsive('sbx_a', stack, one)
    expect(stops).toEqual([])
    stopUnresponsive('sbx_a', stack, two)
    expect([ended.length, stops.length]).toEqual([1, 1])
  })

  it('[STK-34] is not stopped again by a late report about the process that was already stopped', async () => {
    const { lines, stops, stopUnresponsive } = setUp()
    const stack = newStack()
    stopUnresponsive('sbx_a', stack)
    stops[0]!()
    await expect.poll(() => lines).toHaveLength(1)
    stopUnresponsive('sbx_a', stack)
    expect(stops).toHaveLength(1)
    stopUnresponsive('sbx_a', newStack())
    expect(stops).toHaveLength(2)
  })
})
