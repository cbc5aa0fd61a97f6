import { describe, expect, it } from 'vitest'
import { createMemoryBudget, type Memory } from './memory-budget.ts'

const MB = 1024 * 1024

describe('the memory of an incomplete message', () => {
  it('is free immediately if few bytes of the message arrived', () => {
    const budget = createMemoryBudget(32 * MB)
    budget.reserve(10 * MB)
    budget.abandon(10 * MB, 1_000)
    expect(budget.used()).toBe(0)
  })

  it('[MQT-27] is free after a delay if many bytes arrived, and only messages of the same sandbox wait', async () => {
    const memory: Memory = { used: 0, maxBytes: 4 * MB }
    const [own, other] = [createMemoryBudget(3 * MB, memory), createMemoryBudget(3 * MB, memory)]
    own.reserve(2 * MB)
    own.abandon(2 * MB, 2 * MB)
    expect(own.used()).toBe(2 * MB)
    expect(own.reserve(2 * MB)).toBe(false)
    expect(memory.used).toBe(0)
    expect(other.reserve(2 * MB)).toBe(true)
    await new Promise<void>((resolve) => own.onFree(resolve))
    await own.returned()
    expect(own.used()).toBe(0)
    expect(own.reserve(2 * MB)).toBe(true)
    expect(memory.used).toBe(4 * MB)
  })
})
