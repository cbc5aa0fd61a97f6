import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExternalIdIndex } from './external-id-index.ts'

const found = (index: ExternalIdIndex, name: string) => {
  const bytes = Buffer.from(`..${name}..`)
  return index.find(bytes, 2, bytes.length - 2)
}

describe('the index of external ids', () => {
  it('[OBS-20] finds each point by its source system and external id, and nothing by any other name', () => {
    const name = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
    const names = fc.uniqueArray(fc.tuple(name, name), { selector: ([a, b]) => `${a}:${b}`, maxLength: 60 })
    fc.assert(
      fc.property(names, name, (all, other) => {
        const points = all.map(([sourceSystem, externalId], i) => ({ sourceSystem, externalId, number: i + 1 }))
        const index = new ExternalIdIndex(points)
        for (const { sourceSystem, externalId, number } of points) {
          expect(found(index, `${sourceSystem}:${externalId}`)).toBe(number)
        }
        const known = new Set(points.map(({ sourceSystem, externalId }) => `${sourceSystem}:${externalId}`))
        if (!known.has(other)) expect(found(index, other)).toBe(0)
        expect(found(index, '')).toBe(0)
      }),
    )
  })

  it('[OBS-20] finds neither of two points whose names read the same', () => {
    const points = [
      { sourceSystem: 'a:b', externalId: 'c', number: 1 },
      { sourceSystem: 'a', externalId: 'b:c', number: 2 },
      { sourceSystem: 'a', externalId: 'c', number: 3 },
    ]
    expect(found(new ExternalIdIndex(points), 'a:b:c')).toBe(0)
    expect(found(new ExternalIdIndex(points), 'a:c')).toBe(3)
  })

  it('finds nothing in an empty building', () => {
    expect(found(new ExternalIdIndex([]), 'a:b')).toBe(0)
  })
})
