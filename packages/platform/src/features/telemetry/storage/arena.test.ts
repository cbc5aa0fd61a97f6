import { describe, expect, it } from 'vitest'
import { Arena } from './arena.ts'

describe('arena', () => {
  const created: number[] = []
  const newArena = () =>
    new Arena<Float64Array>({
      create: (length) => {
        created.push(length)
        return new Float64Array(length)
      },
      part: (columns, from, to) => columns.subarray(from, to),
    })

  it('gives separate memory until it is cleared, and the same memory afterwards', () => {
    const arena = newArena()
    for (const length of [3, 2]) arena.take(length).fill(1)
    arena.clear()
    created.length = 0
    for (let i = 0; i < 3; i++) {
      const [first, second] = [arena.take(3).fill(i), arena.take(2).fill(-i)]
      expect([[...first], [...second]]).toEqual([
        [i, i, i],
        [-i, -i],
      ])
      arena.clear()
    }
    expect(created).toEqual([])
  })

  it('gives empty columns, even as the first ones', () => {
    expect(newArena().take(0)).toHaveLength(0)
  })

  it('gives new memory to a request that does not fit, and reserves enough for the next time', () => {
    const arena = newArena()
    arena.take(10)
    arena.clear()
    const [fits, large, small] = [arena.take(4).fill(1), arena.take(20).fill(2), arena.take(1).fill(3)]
    expect([fits.length, large.length, small.length]).toEqual([4, 20, 1])
    expect(new Set([...fits, ...large, ...small])).toEqual(new Set([1, 2, 3]))
    arena.clear()
    created.length = 0
    expect([arena.take(4).length, arena.take(20).length, arena.take(1).length]).toEqual([4, 20, 1])
    expect(created).toEqual([])
  })
})
