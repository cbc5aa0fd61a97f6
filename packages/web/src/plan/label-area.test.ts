import { describe, expect, it } from 'vitest'
import { contains, labelArea, type Outline } from './label-area.ts'

const square: Outline = [
  [0, 0],
  [4, 0],
  [4, 4],
  [0, 4],
]
/** An L whose centroid is outside of it. */
const lShaped: Outline = [
  [0, 0],
  [20, 0],
  [20, 2],
  [2, 2],
  [2, 20],
  [0, 20],
]

describe('the label area', () => {
  it('is the whole of a rectangular room', () => {
    expect(labelArea(square)).toMatchObject({ x: 2, y: 2, width: 4, height: 4 })
  })

  it('is inside an L-shaped room', () => {
    const area = labelArea(lShaped)!
    expect(area).toMatchObject({ width: 20, height: 2, y: 1 })
    const [left, right] = [area.x - area.width / 2 + 0.01, area.x + area.width / 2 - 0.01]
    for (const x of [left, right]) {
      for (const y of [0.01, 1.99]) expect(contains(lShaped, x, y), `${x} ${y}`).toBe(true)
    }
  })

  it('has its centre inside a room with slanted walls', () => {
    const triangle: Outline = [
      [0, 0],
      [10, 0],
      [5, 9],
    ]
    const area = labelArea(triangle)!
    expect(contains(triangle, area.x, area.y)).toBe(true)
    expect(area.width).toBeGreaterThan(3)
  })

  it('is undefined for an outline without an area', () => {
    expect(
      labelArea([
        [0, 0],
        [5, 0],
        [9, 0],
      ]),
    ).toBeUndefined()
  })

  it('is found in a room with two thousand corners', () => {
    const round: Outline = Array.from({ length: 2000 }, (_, i) => [
      Math.cos((i / 1000) * Math.PI) * 9,
      Math.sin((i / 1000) * Math.PI) * 9,
    ])
    const area = labelArea(round)!
    expect(Math.hypot(area.x, area.y)).toBeLessThan(3)
    expect(area.width).toBeGreaterThan(9)
  })
})
