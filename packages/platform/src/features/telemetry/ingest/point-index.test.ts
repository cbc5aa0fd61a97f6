import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { PointIndex } from './point-index.ts'

const points = Array.from({ length: 300 }, (_, i) => ({ id: randomUUID(), number: i + 1 }))
const inOrder = points.map(({ number }) => number)

function found(index: PointIndex, ids: readonly string[]): number[] {
  const bytes = Buffer.from(ids.join(''))
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return ids.map((_, i) => index.findLowerCase(view, i * 36))
}

function shuffled<T>(values: readonly T[]): T[] {
  const rest = [...values]
  return values.map(() => rest.splice(Math.floor(Math.random() * rest.length), 1)[0]!)
}

describe('the index of points', () => {
  it('finds each point in any order, however the order changes', () => {
    const index = new PointIndex(points, points.length)
    const numberOf = new Map(points.map(({ id, number }) => [id, number]))
    const orders = [shuffled(points), shuffled(points), points, shuffled(points).slice(100), shuffled(points)]
    for (const order of [...orders, ...orders]) {
      const ids = order.map(({ id }) => id)
      expect(found(index, ids)).toEqual(ids.map((id) => numberOf.get(id)))
    }
  })

  it('does not find unknown ids, and still finds the known ones among them', () => {
    const index = new PointIndex(points, points.length)
    const other = points[0]!.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const ids = points.flatMap(({ id }) => [id, randomUUID(), other, '\0'.repeat(36), '\x7f'.repeat(36)])
    for (let round = 0; round < 2; round++) {
      expect(found(index, ids)).toEqual(inOrder.flatMap((number) => [number, 0, 0, 0, 0]))
    }
    expect(found(new PointIndex([], 0), ids.slice(0, 3))).toEqual([0, 0, 0])
  })

  it('finds ids in capital letters', () => {
    const index = new PointIndex(points, points.length)
    expect(points.map(({ id }) => index.find(Buffer.from(id.toUpperCase()), 0))).toEqual(inOrder)
  })
})
