import type { SpaceNode, StoreyNode } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { storeyRows } from './row-layout.ts'

const square = (from: number, to: number) => [
  [from, 0],
  [to, 0],
  [to, 10],
  [from, 10],
]
const storey = (id: string, from: number, to: number) => ({ id, polygon: square(from, to) }) as unknown as StoreyNode
const room = (code: string, areaSqm: number | null, x?: number) =>
  ({ code, areaSqm, polygon: x === undefined ? null : square(x, x + 1) }) as unknown as SpaceNode

describe('the rows of the storeys', () => {
  const spaces: Record<string, SpaceNode[]> = {
    low: [room('east', 30, 30), room('nowhere', 20), room('west', 50, 2)],
    high: [room('only', null, 12)],
  }
  const rows = storeyRows({
    storeys: [storey('low', 0, 40), storey('high', 10, 20)],
    spacesOf: (id) => spaces[id] ?? [],
  })
  const drawn = rows.map(({ cells }) => cells.map(({ space, from, to }) => [space.code, from, to]))

  it('have the highest storey first, and each row has the width and position of its storey', () => {
    expect(rows.map((row) => row.storey.id)).toEqual(['high', 'low'])
    expect(drawn[0]).toEqual([['only', 0.25, 0.5]])
  })

  it('have the rooms from west to east, as wide as their share of the area, and rooms without an outline last', () => {
    expect(drawn[1]).toEqual([
      ['west', 0, 0.5],
      ['east', 0.5, 0.8],
      ['nowhere', 0.8, 1],
    ])
  })

  it('are full width if neither a storey nor a room has an outline', () => {
    const bare = storeyRows({ storeys: [{ id: 'x' } as StoreyNode], spacesOf: () => [room('a', 1), room('b', 3)] })
    expect(bare[0]!.cells.map(({ from, to }) => [from, to])).toEqual([
      [0, 0.25],
      [0.25, 1],
    ])
  })
})
