import type { SpaceNode, StoreyNode } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import type { Change } from './changes.ts'
import { graphBefore } from './graph-at.ts'

const space = (id: string, name = id) => ({ id, name }) as SpaceNode
const storey = (id: string, index: number) => ({ id, index }) as StoreyNode
const change = (op: Change['op'], kind: Change['kind'], before: Change['before'], after: Change['after']): Change => ({
  op,
  kind,
  nodeId: (before ?? after)!.id,
  before,
  after,
})

describe('the graph before some changes', () => {
  const now = { storeys: [storey('one', 1)], spaces: [space('a', 'Library'), space('new')], elements: [] }

  it('has the deleted nodes, not the created ones, and the old values', () => {
    const before = graphBefore(now, [
      change('update', 'space', space('a', 'Store'), space('a', 'Library')),
      change('create', 'space', null, space('new')),
      change('delete', 'space', space('old'), null),
      change('delete', 'storey', storey('ground', 0), null),
    ])
    expect(before.spaces.map(({ id, name }) => [id, name])).toEqual([
      ['a', 'Store'],
      ['old', 'old'],
    ])
    expect(before.storeys.map(({ id }) => id)).toEqual(['ground', 'one'])
  })

  it('does not modify the given graph', () => {
    graphBefore(now, [change('create', 'space', null, space('new'))])
    expect(now.spaces).toHaveLength(2)
  })
})
