import type { GraphNode } from '@storey/contract'

type ExternalIds = GraphNode['externalIds']

/**
 * `externalId` and `sourceSystem` of a node are those of its first external id. `validate-edit.ts` checks that each
 * pair is unique in a building.
 */
export function firstExternalId([first]: ExternalIds): Pick<GraphNode, 'externalId' | 'sourceSystem'> {
  return { externalId: first?.externalId ?? null, sourceSystem: first?.sourceSystem ?? null }
}

export function withExternalIds<N extends GraphNode>(node: N, externalIds: ExternalIds): N {
  return { ...node, externalIds, ...firstExternalId(externalIds) }
}
