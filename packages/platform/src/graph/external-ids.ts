import type { GraphNode } from '@storey/contract'

type ExternalIds = GraphNode['externalIds']

/**
 * `externalId` and `sourceSystem` of a node are those of its first external id. That each pair is unique in a building is
 * checked in `validate-edit.ts`.
 */
export function firstExternalId([first]: ExternalIds): Pick<GraphNode, 'externalId' | 'sourceSystem'> {
  return { externalId: first?.externalId ?? null, sourceSystem: first?.sourceSystem ?? null }
}

export function withExternalIds<N extends GraphNode>(node: N, externalIds: ExternalIds): N {
  return { ...node, externalIds, ...firstExternalId(externalIds) }
}
