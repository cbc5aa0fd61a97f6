import { describe, expect, it } from 'vitest'
import { admitByMemory, hasMemoryFor, type Memory, requestCapacity, unwatched } from './memory.ts'

const MB = 1024 * 1024
const at = (rssMb: number): Memory => ({
  ...unwatched(512 * MB),
  rssBytes: () => rssMb * MB,
  measureBytes: () => rssMb * MB,
})

describe('memory for requests', () => {
  it('is 18% of the limit, shrinks as the process grows, and is never zero', () => {
    const capacities = [100, 360, 400, 440, 460, 600].map((rssMb) => requestCapacity(at(rssMb)) / MB)
    expect(capacities[0]).toBeCloseTo(92.16, 1)
    expect(capacities[1]).toBe(capacities[0])
    expect(capacities[2]).toBeLessThan(capacities[1]!)
    expect(capacities[3]).toBeLessThan(capacities[2]!)
    expect([capacities[4]! * MB, capacities[5]! * MB]).toEqual([1, 1])
  })

  it('[STK-16] is given to one request at a time while memory is short, and to more afterwards', async () => {
    let rssMb = 500
    let sampled: () => void = () => undefined
    const admission = admitByMemory({
      ...unwatched(512 * MB),
      rssBytes: () => rssMb * MB,
      onSample: (listener) => {
        sampled = listener
      },
    })
    const first = await admission.enter(5 * MB)
    const others = [admission.enter(5 * MB), admission.enter(5 * MB)]
    expect(admission.report()).toMatchObject({ bytesInUse: 5 * MB, waiting: 2 })
    first.leave()
    expect(admission.report()).toMatchObject({ bytesInUse: 5 * MB, waiting: 1 })
    rssMb = 200
    sampled()
    await Promise.all(others)
    expect(admission.report()).toMatchObject({ bytesInUse: 10 * MB, waiting: 0 })
  })
})

describe('memory for background work', () => {
  it('is what is left below 85% of the limit', () => {
    expect(hasMemoryFor(at(300), 100 * MB)).toBe(true)
    expect(hasMemoryFor(at(400), 100 * MB)).toBe(false)
    expect(hasMemoryFor(unwatched(512 * MB), 100 * MB)).toBe(true)
  })
})
