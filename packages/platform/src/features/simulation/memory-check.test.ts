import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Memory } from '../../memory.ts'
import { createMemoryCheck } from './memory-check.ts'
import { generated, lines, type SimulatedStack, startSimulatedStack } from './testing/simulated-stack.ts'

const MB = 1024 * 1024
const NOW = '2026-03-03T08:02:00.000Z'
let usedMb = 100
const memory: Memory = {
  limitBytes: 512 * MB,
  rssBytes: () => usedMb * MB,
  measureBytes: () => usedMb * MB,
  onSample: () => undefined,
}

afterEach(() => {
  usedMb = 100
})

describe('the memory check of a simulation', () => {
  it('[SIM-12] allows the model of the largest building only in a process that has memory for it', () => {
    const check = createMemoryCheck(memory)
    usedMb = 200
    expect(check.allowsModel(104_000)).toBe(true)
    usedMb = 300
    expect(check.allowsModel(104_000)).toBe(false)
    expect(check.allowsModel(1_000)).toBe(true)
    expect(check.allowsStep()).toBe(true)
    usedMb = 380
    expect(check.allowsStep()).toBe(false)
  })

  it('[SIM-12] counts consecutive refusals', () => {
    const check = createMemoryCheck(memory)
    usedMb = 500
    for (let i = 0; i < 3; i++) check.allowsStep()
    expect(check.refusals()).toBe(3)
    usedMb = 100
    check.allowsStep()
    expect(check.refusals()).toBe(0)
  })
})

describe('a simulated building', () => {
  let simulated: SimulatedStack
  beforeAll(async () => {
    simulated = await startSimulatedStack(NOW, {}, { memory })
  })
  afterAll(() => simulated.stack.close())

  it('[SIM-12] sends nothing while memory is short, and then everything that it missed', async () => {
    const { stack, command, after } = simulated
    const startMs = Date.parse(NOW)
    await command({ running: true })
    const before = await after(20)
    expect(before.length).toBeGreaterThan(0)
    usedMb = 450
    // Each `after` causes at least two refusals, so there are at least twenty. After fifteen, the model is released.
    for (let minute = 0; minute < 10; minute++) expect(await after(1)).toEqual([])
    usedMb = 100
    const then = await after(10)
    expect(lines([...before, ...then])).toEqual(generated(stack, startMs, startMs + 40 * 60_000))
  })
})
