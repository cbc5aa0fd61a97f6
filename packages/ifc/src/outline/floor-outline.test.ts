import { describe, expect, it } from 'vitest'
import { floorOutline } from './floor-outline.ts'

type Corner = [number, number, number]

/** Two triangles for a face of four corners. */
function face(a: Corner, b: Corner, c: Corner, d: Corner): Corner[] {
  return [a, b, c, a, c, d]
}

/** A box between two corners. Its faces point outward. */
function box([ax, ay, az]: Corner, [bx, by, bz]: Corner): Corner[] {
  return [
    ...face([ax, ay, az], [ax, by, az], [bx, by, az], [bx, ay, az]),
    ...face([ax, ay, bz], [bx, ay, bz], [bx, by, bz], [ax, by, bz]),
    ...face([ax, ay, az], [bx, ay, az], [bx, ay, bz], [ax, ay, bz]),
    ...face([bx, ay, az], [bx, by, az], [bx, by, bz], [bx, ay, bz]),
    ...face([bx, by, az], [ax, by, az], [ax, by, bz], [bx, by, bz]),
    ...face([ax, by, az], [ax, ay, az], [ax, ay, bz], [ax, by, bz]),
  ]
}

const outline = (...corners: Corner[]) => floorOutline(Float64Array.from(corners.flat()))

describe('the outline of a room', () => {
  it('is the floor of its solid, counter-clockwise from the corner with the smallest y, then x', () => {
    expect(outline(...box([0, 0, 0], [4, 3, 2.5]))).toEqual({
      polygon: [
        [0, 0],
        [4, 0],
        [4, 3],
        [0, 3],
      ],
      floorAreaSqm: 12,
    })
  })

  it('is the same for an inverted solid', () => {
    const solid = box([0, 0, 0], [4, 3, 2.5])
    expect(outline(...solid.toReversed())).toEqual(outline(...solid))
  })

  it('joins the faces of a stepped floor, even if a corner of one lies in the middle of an edge of another', () => {
    const polygon = outline(...box([0, 0, 0], [4, 3, 3]), ...box([4, 1, 0.5], [6, 2, 3]))!.polygon
    expect(polygon).toEqual([
      [0, 0],
      [4, 0],
      [4, 1],
      [6, 1],
      [6, 2],
      [4, 2],
      [4, 3],
      [0, 3],
    ])
  })

  it('does not show a hole, but the hole is subtracted from the area', () => {
    const ring = [
      ...box([0, 0, 0], [1, 3, 3]),
      ...box([2, 0, 0], [3, 3, 3]),
      ...box([1, 0, 0], [2, 1, 3]),
      ...box([1, 2, 0], [2, 3, 3]),
    ]
    expect(outline(...ring)).toEqual({
      polygon: [
        [0, 0],
        [3, 0],
        [3, 3],
        [0, 3],
      ],
      floorAreaSqm: 8,
    })
  })

  it('tolerates the rounding errors of single precision', () => {
    const noisy = box([0, 0, 0], [4, 3, 2.5]).map(
      ([x, y, z], at): Corner => [x + (at % 3) * 1e-4, y - (at % 2) * 1e-4, z],
    )
    expect(outline(...noisy)!.polygon).toHaveLength(4)
  })

  it('is null when there is no floor', () => {
    expect(outline()).toBeNull()
    expect(outline(...face([0, 0, 0], [0, 4, 0], [0, 4, 3], [0, 0, 3]))).toBeNull()
  })

  it('is refused when its coordinates are implausible', () => {
    for (const far of [Number.NaN, Number.POSITIVE_INFINITY, 1e300, -2e6]) {
      expect(() => outline(...box([0, 0, 0], [far, 1, 1]))).toThrow(/more than 1,000 km/)
    }
  })
})
