import { describe, expect, it } from 'vitest'
import { Copies, emptyObservations, type Observations } from './observations.ts'

/** Observations whose points, times and values are counted from `first`. */
function observations(count: number, first: number): Observations {
  const columns = emptyObservations(count)
  columns.count = count
  for (let i = 0; i < count; i++) {
    columns.points[i] = first + i
    columns.times[i] = first + i + 0.25
    columns.values[i] = first + i + 0.5
  }
  return columns
}

const contentOf = ({ points, times, values }: Observations) => [[...points], [...times], [...values]]
const bytesOf = ({ times }: Observations) => times.buffer.byteLength

describe('copies', () => {
  it.each([[1], [511], [512], [513], [1000], [4096], [4097]])(
    'of %i observations take at most twice the bytes of the originals',
    (count) => {
      const copies = new Copies()
      const copy = copies.copyOf(observations(count, 1))
      expect(bytesOf(copy)).toBeLessThan(2 * 20 * count + 1)
      expect(contentOf(copy)).toEqual(contentOf(observations(count, 1)))
    },
  )

  it('use the memory of freed copies, and no memory of copies that are not freed', () => {
    const copies = new Copies()
    const [freed, kept] = [copies.copyOf(observations(1000, 1)), copies.copyOf(observations(1000, 5000))]
    copies.free(freed)
    const next = copies.copyOf(observations(900, 9000))
    expect(next.times.buffer).toBe(freed.times.buffer)
    expect(contentOf(next)).toEqual(contentOf(observations(900, 9000)))
    expect(copies.copyOf(observations(1000, 1)).times.buffer).not.toBe(next.times.buffer)
    expect(contentOf(kept)).toEqual(contentOf(observations(1000, 5000)))
  })

  it('of few observations do not use the memory of large copies', () => {
    const copies = new Copies()
    copies.free(copies.copyOf(observations(4096, 1)))
    expect(bytesOf(copies.copyOf(observations(1, 1)))).toBe(20)
    expect(bytesOf(copies.copyOf(observations(600, 1)))).toBe(1024 * 20)
  })
})
