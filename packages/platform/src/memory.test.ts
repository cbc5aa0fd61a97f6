import { describe, expect, it } from 'vitest'
import { admitByMemory, type Memory, roomOf } from './memory.ts'

const MB = 1024 * 1024
const at = (rssMb: number): Memory => ({ limitBytes: 512 * MB, rssBytes: () => rssMb * MB, onSample: () => undefined })

describe('memory for requests', () => {
  it('is a fifth of the limit, shrinks as the process grows, and is never quite gone', () => {
    const rooms = [100, 360, 400, 440, 460, 600].map((rssMb) => roomOf(at(rssMb)) / MB)
    expect(rooms[0]).toBeCloseTo(92.16, 1)
    expect(rooms[1]).toBe(rooms[0])
    expect(rooms[2]).toBeLessThan(rooms[1]!)
    expect(rooms[3]).toBeLessThan(rooms[2]!)
    expect([rooms[4]! * MB, rooms[5]! * MB]).toEqual([1, 1])
  })

  it('[STK-16] lets requests in one at a time when memory is short, and more when it no longer is', async () => {
    let rssMb = 500
    let sampled: () => void = () => undefined
    const admission = admitByMemory({
      limitBytes: 512 * MB,
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
