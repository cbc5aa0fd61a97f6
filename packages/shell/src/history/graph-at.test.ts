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

describe('a graph as it was', () => {
  const now = { storeys: [storey('one', 1)], spaces: [space('a', 'Library'), space('new')], elements: [] }

  it('has what went, not what came, and the rest as it was', () => {
    const was = graphBefore(now, [
      change('update', 'space', space('a', 'Store'), space('a', 'Library')),
      change('create', 'space', null, space('new')),
      change('delete', 'space', space('old'), null),
      change('delete', 'storey', storey('ground', 0), null),
    ])
    expect(was.spaces.map(({ id, name }) => [id, name])).toEqual([
      ['a', 'Store'],
      ['old', 'old'],
    ])
    expect(was.storeys.map(({ id }) => id)).toEqual(['ground', 'one'])
  })

  it('leaves the later one alone', () => {
    graphBefore(now, [change('create', 'space', null, space('new'))])
    expect(now.spaces).toHaveLength(2)
  })
})
