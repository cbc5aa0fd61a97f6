import { describe, expect, it } from 'vitest'
import { createLastKnown } from './last-known.ts'

describe('the last known value', () => {
  it('is returned when a read fails', async () => {
    let count = 0
    const read = createLastKnown(async () => {
      if (++count % 2 === 0) throw new Error('down')
      return count
    }, 1_000)
    expect(await read()).toEqual({ value: 1, isCurrent: true })
    expect(await read()).toEqual({ value: 1, isCurrent: false })
    expect(await read()).toEqual({ value: 3, isCurrent: true })
  })

  it('is returned when a read hangs, and no second read begins meanwhile', async () => {
    const reads: PromiseWithResolvers<string>[] = []
    const read = createLastKnown(() => {
      reads.push(Promise.withResolvers())
      return reads.at(-1)!.promise
    }, 20)
    expect(await read()).toEqual({ value: undefined, isCurrent: false })
    expect(await read()).toEqual({ value: undefined, isCurrent: false })
    expect(reads).toHaveLength(1)
    reads[0]!.resolve('late')
    await reads[0]!.promise
    const next = read()
    expect(reads).toHaveLength(2)
    expect(await next).toEqual({ value: 'late', isCurrent: false })
  })
})
