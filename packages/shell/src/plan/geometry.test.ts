import { describe, expect, it } from 'vitest'
import { boxOf, type Outline, pathOf } from './geometry.ts'

const square: Outline = [
  [0, 0],
  [4, 0],
  [4, 4],
  [0, 4],
]

describe('the geometry of a plan', () => {
  it('has a bounding box of all outlines', () => {
    expect(
      boxOf([
        square,
        [
          [-1, 2],
          [9, 3],
          [1, 7],
        ],
      ]),
    ).toEqual({ x: -1, y: 0, width: 10, height: 7 })
  })

  it('draws an outline as one closed path', () => {
    expect(pathOf(square)).toBe('M0 0L4 0L4 4L0 4Z')
  })
})
