import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstMerged } from './choose-pieces.ts'

/** Adds pieces one after another and merges those that are due. */
function addAll(sizes: readonly number[]) {
  let pieces: number[] = []
  let most = 0
  let merged = 0
  for (const size of sizes) {
    pieces.push(size)
    most = Math.max(most, pieces.length)
    const first = firstMerged(pieces)
    if (first === undefined) continue
    const whole = pieces.slice(first).reduce((sum, count) => sum + count, 0)
    merged += whole
    pieces = [...pieces.slice(0, first), whole]
  }
  const total = sizes.reduce((sum, size) => sum + size, 0)
  return { pieces, most, mergedTimes: merged / total }
}

describe('the pieces of a day that are merged', () => {
  it.each([
    ['none, if there are fewer than eight', [1, 1, 1, 1, 1, 1, 1], undefined],
    ['eight of one size', [1, 1, 1, 1, 1, 1, 1, 1], 0],
    ['those after a large one', [100, 1, 1, 1, 1, 1, 1, 1, 1], 1],
    ['all, if the merged piece is the eighth of a similar size', [9, 9, 9, 9, 9, 9, 9, 1, 1, 1, 1, 1, 1, 1, 1], 0],
    ['none, if only a few follow a large one', [1, 1, 1, 1, 1, 1, 1, 1, 100, 1], undefined],
    ['all, since there are 64', Array.from({ length: 64 }, (_, i) => (i % 2 === 0 ? 10 : 1)), 0],
  ])('are %s', (_name, counts, first) => {
    expect(firstMerged(counts)).toBe(first)
  })

  it('are chosen so that few pieces remain, and an observation is merged only a few times on average', () => {
    const everyTenSeconds = addAll(Array<number>(8640).fill(1))
    expect(everyTenSeconds.most).toBeLessThan(32)
    expect(everyTenSeconds.mergedTimes).toBeLessThan(4)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1000 }), { maxLength: 2000 }), (sizes) => {
        const { most, mergedTimes, pieces } = addAll(sizes)
        expect(most).toBeLessThanOrEqual(64)
        if (sizes.length > 0) expect(mergedTimes).toBeLessThan(10)
        expect(pieces.reduce((sum, count) => sum + count, 0)).toBe(sizes.reduce((sum, size) => sum + size, 0))
      }),
      { numRuns: 50 },
    )
  })
})
