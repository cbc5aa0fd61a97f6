import { describe, expect, it } from 'vitest'
import { type Label, labelOf, lineOffsets, pointsOf } from './plan-geometry.ts'
import { previewOf, type RoomPreview } from './preview.ts'

const room = (polygon: [number, number][], name = 'Meeting room L00.02'): RoomPreview => ({
  ...{ code: 'L00-R02', name, spaceType: 'meeting-room', areaSqm: 1, capacity: 1, polygon, status: 'active' },
})
const box = (width: number, height: number): [number, number][] => [
  [0, 0],
  [width, 0],
  [width, height],
  [0, height],
]
/** Whether two labels do not overlap. */
const apart = (one: Label, other: Label): boolean => {
  const half = ({ lines, size }: Label) => ({
    width: (Math.max(...lines.map(({ length }) => length)) * size * 0.55) / 2,
    height: (lines.length * size * 1.1) / 2,
  })
  const [a, b] = [half(one), half(other)]
  return Math.abs(one.x - other.x) > a.width + b.width || Math.abs(one.y - other.y) > a.height + b.height
}
const DEPTH = 40
const WIDTH = 68

describe('a plan', () => {
  it('has a y axis that points down', () => {
    expect(pointsOf(box(2, 3), 10)).toBe('0,10 2,10 2,7 0,7')
  })

  it('labels a room with its name, on several lines if needed, or with its number if only the number fits', () => {
    const linesOf = (width: number, height: number) => labelOf(room(box(width, height)), DEPTH, WIDTH)?.lines
    expect(linesOf(20, 5)).toEqual(['Meeting room'])
    expect(linesOf(5, 5)).toEqual(['Meeting', 'room'])
    expect(linesOf(3, 5)).toEqual(['R02'])
    expect(linesOf(1, 1)).toBeUndefined()
  })

  it('puts the label of an L-shaped room into its larger part', () => {
    const corner: [number, number][] = [
      [0, 0],
      [20, 0],
      [20, 2],
      [12, 2],
      [12, 20],
      [0, 20],
    ]
    const label = labelOf(room(corner), DEPTH, WIDTH)!
    expect([label.x, label.y]).toEqual([6, 30])
  })

  it('centres the lines of a label', () => {
    expect(lineOffsets({ x: 0, y: 0, size: 2, lines: ['a', 'b', 'c'] })).toEqual([-2.5, 0, 2.5])
  })

  it('keeps labels inside the storey and apart from each other, for both building types', () => {
    for (const [buildingType, spacesMin] of [
      ['office', 10],
      ['mall', 10],
      ['mall', 30],
    ] as const) {
      const seeded = { buildingType, spacesMin, spacesMax: spacesMin + 14, seed: 'plan' }
      for (const { plate, rooms } of previewOf(seeded).storeys) {
        const [width, depth] = plate[2]!
        const labels = rooms.flatMap((one) => labelOf(one, depth, width) ?? [])
        expect(labels.length).toBeGreaterThan(0)
        for (const { x, y } of labels) expect(x > 0 && x < width && y > 0 && y < depth).toBe(true)
        for (const [i, one] of labels.entries()) {
          for (const other of labels.slice(i + 1)) expect(apart(one, other), `${one.lines} ${other.lines}`).toBe(true)
        }
      }
    }
  })
})
