import { describe, expect, it, vi } from 'vitest'
import { createFairSlots } from './fair-slots.ts'

function testSlots(perGroup: number, holdMs = 60_000) {
  const slots = createFairSlots({ perGroup, holdMs })
  const begun: string[] = []
  const leaves = new Map<string, () => void>()
  const enter = (name: string, group?: string) => {
    const begin = (leave: () => void) => {
      begun.push(name)
      leaves.set(name, leave)
    }
    return slots.enter(name[0]!, begin, group)
  }
  return { slots, begun, enter, leave: (name: string) => leaves.get(name)!() }
}

describe('fair slots', () => {
  it('are given to the keys in turn', () => {
    const { slots, begun, enter, leave } = testSlots(1)
    for (const name of ['a1', 'a2', 'a3', 'b1']) enter(name)
    expect([begun, slots.waiting]).toEqual([['a1'], 3])
    leave('a1')
    leave('a1')
    leave('a2')
    expect(begun).toEqual(['a1', 'a2', 'b1'])
  })

  it('are separate for each group', () => {
    const { begun, enter } = testSlots(1)
    enter('a1', 'first')
    enter('b1', 'first')
    enter('c1', 'second')
    expect(begun).toEqual(['a1', 'c1'])
  })

  it('are freed once, after the maximum hold time, even if the item ends later', () => {
    vi.useFakeTimers()
    const { begun, enter, leave } = testSlots(1, 20)
    for (const name of ['a1', 'b1', 'c1']) enter(name)
    vi.advanceTimersByTime(19)
    expect(begun).toEqual(['a1'])
    vi.advanceTimersByTime(1)
    leave('a1')
    expect(begun).toEqual(['a1', 'b1'])
    vi.useRealTimers()
  })

  it('are not given to an item that stopped waiting', () => {
    const { slots, begun, enter, leave } = testSlots(1)
    enter('a1')
    const end = enter('b1')
    enter('c1')
    end()
    leave('a1')
    expect([begun, slots.waiting]).toEqual([['a1', 'c1'], 0])
  })
})
