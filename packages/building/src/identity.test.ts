import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { globalId, nodeId } from './identity.ts'
import { hash128 } from './random/hash.ts'
import { randomFor } from './random/random.ts'
import { sha256 } from './random/sha256.ts'

describe('ids', () => {
  it('are version 8 UUIDs or IFC GlobalIds, and UUIDs differ between scopes', () => {
    expect(nodeId('sbx_1/seed', 'storey/1')).toBe(nodeId('sbx_1/seed', 'storey/1'))
    expect(nodeId('sbx_1/seed', 'storey/1')).not.toBe(nodeId('sbx_2/seed', 'storey/1'))
    fc.assert(
      fc.property(fc.string(), fc.string(), (scope, key) => {
        expect(nodeId(scope, key)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(globalId(scope, key)).toMatch(/^[0-3][0-9A-Za-z_$]{21}$/)
      }),
    )
  })

  it('do not change between releases, and neither do hashes and random numbers', () => {
    expect(nodeId('sbx_1/seed', 'storey/1')).toMatchInlineSnapshot(`"308cd94b-83ba-823d-85c2-268a7b869271"`)
    expect(globalId('seed', 'storey/1')).toMatchInlineSnapshot(`"3N9IrolP6xXEnZnyKPWq0I"`)
    expect([...hash128('storey')]).toMatchInlineSnapshot(`
      [
        987049908,
        1046133335,
        927532543,
        3716602546,
      ]
    `)
    expect(randomFor('seed', 'frame').int(0, 1e9)).toMatchInlineSnapshot(`349456774`)
  })

  it('do not collide', () => {
    const ids = new Set<string>()
    for (let i = 0; i < 100_000; i++) ids.add(nodeId('scope', `storey/${i % 50}/space/${i}`))
    expect(ids.size).toBe(100_000)
  })
})

describe('sha256', () => {
  it('computes the same hash as node:crypto, with one or several updates', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 200 }), { maxLength: 6 }), (pieces) => {
        const ours = sha256()
        for (const piece of pieces) ours.update(piece)
        expect(ours.hex()).toBe(createHash('sha256').update(pieces.join('')).digest('hex'))
      }),
    )
  })
})

describe('randomFor', () => {
  it('returns integers that are uniformly distributed within the bounds', () => {
    const random = randomFor('seed', 'spread')
    const counts = new Array<number>(10).fill(0)
    for (let i = 0; i < 10_000; i++) counts[random.int(0, 9)]!++
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150)
  })
})
