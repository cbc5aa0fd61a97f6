import { describe, expect, it } from 'vitest'
import { contains, type Outline, textPlace } from './text-place.ts'

const square: Outline = [
  [0, 0],
  [4, 0],
  [4, 4],
  [0, 4],
]
/** An L whose centre of gravity is close to its inner corner. */
const bent: Outline = [
  [0, 0],
  [20, 0],
  [20, 2],
  [2, 2],
  [2, 20],
  [0, 20],
]

describe('a place for words', () => {
  it('is the middle of a plain room', () => {
    expect(textPlace(square)).toMatchObject({ x: 2, y: 2, width: 4, height: 4 })
  })

  it('is inside a bent room, where they fit', () => {
    const place = textPlace(bent)!
    expect(place).toMatchObject({ width: 20, height: 2, y: 1 })
    const [left, right] = [place.x - place.width / 2 + 0.01, place.x + place.width / 2 - 0.01]
    for (const x of [left, right]) {
      for (const y of [0.01, 1.99]) expect(contains(bent, x, y), `${x} ${y}`).toBe(true)
    }
  })

  it('is inside of rooms with slanted walls', () => {
    const triangle: Outline = [
      [0, 0],
      [10, 0],
      [5, 9],
    ]
    const place = textPlace(triangle)!
    expect(contains(triangle, place.x, place.y)).toBe(true)
    expect(place.width).toBeGreaterThan(3)
  })

  it('is nowhere in a line', () => {
    expect(
      textPlace([
        [0, 0],
        [5, 0],
        [9, 0],
      ]),
    ).toBeUndefined()
  })

  it('is found in a room of two thousand corners', () => {
    const round: Outline = Array.from({ length: 2000 }, (_, i) => [
      Math.cos((i / 1000) * Math.PI) * 9,
      Math.sin((i / 1000) * Math.PI) * 9,
    ])
    const place = textPlace(round)!
    expect(Math.hypot(place.x, place.y)).toBeLessThan(3)
    expect(place.width).toBeGreaterThan(9)
  })
})
