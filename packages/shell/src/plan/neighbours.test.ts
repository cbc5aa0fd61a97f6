import { describe, expect, it } from 'vitest'
import { neighbour } from './neighbours.ts'

const at = (id: string, x: number, y: number) => ({ id, x, y })
const middle = at('middle', 0, 0)
const rooms = [
  middle,
  at('right', 5, 0),
  at('far right', 9, 0),
  at('above', 0.5, -4),
  at('corner', 4, -5),
  at('left', -6, 1),
]

describe('the arrow keys', () => {
  it('move to the nearest room in their direction', () => {
    expect(neighbour(rooms, middle, 'right')?.id).toBe('right')
    expect(neighbour(rooms, middle, 'up')?.id).toBe('above')
    expect(neighbour(rooms, middle, 'left')?.id).toBe('left')
  })

  it('prefer a room straight ahead to a nearer one at the side', () => {
    expect(neighbour([middle, at('aside', 3, 3), at('ahead', 6, 0)], middle, 'right')?.id).toBe('ahead')
  })

  it('do not move at the edge', () => {
    expect(neighbour(rooms, rooms[2]!, 'right')).toBeUndefined()
  })

  it('reach the last room of a row from the first, if they are pressed often enough', () => {
    const row = Array.from({ length: 20 }, (_, i) => at(String(i), i * 3, (i % 2) * 0.5))
    let here = row[0]!
    for (let next = neighbour(row, here, 'right'); next; next = neighbour(row, here, 'right')) here = next
    expect(here.id).toBe('19')
  })
})
