import type { ElementNode, SpaceNode, StoreyNode } from '@storey/sdk'
import type { AnyNode, Change } from './changes.ts'

/** What a plan and its table are drawn from. */
export interface PlanGraph {
  readonly storeys: readonly StoreyNode[]
  readonly spaces: readonly SpaceNode[]
  readonly elements: readonly ElementNode[]
}

/**
 * A graph as it was, out of a later one and what differs since. The past of a large building is then as small to fetch
 * as the changes are.
 */
export function graphBefore(later: PlanGraph, changes: readonly Change[]): PlanGraph {
  return {
    storeys: nodesBefore(later.storeys, changes, 'storey').sort((a, b) => a.index - b.index),
    spaces: nodesBefore(later.spaces, changes, 'space'),
    elements: nodesBefore(later.elements, changes, 'element'),
  }
}

function nodesBefore<Node extends AnyNode>(later: readonly Node[], changes: readonly Change[], kind: Change['kind']) {
  const nodes = new Map(later.map((node) => [node.id, node]))
  for (const change of changes) {
    if (change.kind !== kind) continue
    if (change.before) nodes.set(change.nodeId, change.before as Node)
    else nodes.delete(change.nodeId)
  }
  return [...nodes.values()]
}
