import type { ElementNode, SpaceNode, StoreyNode } from '@storey/sdk'
import type { AnyNode, Change } from './changes.ts'

/** The part of the graph that a plan shows. */
export interface PlanGraph {
  readonly storeys: readonly StoreyNode[]
  readonly spaces: readonly SpaceNode[]
  readonly elements: readonly ElementNode[]
}

/**
 * Calculates an earlier graph from a later one and the changes in between, so that the page loads only the changes.
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
