import { IFC_SOURCE } from '@storey/contract'
import type { SpaceNode } from '@storey/sdk'

/** The fields by which the rows of a table can identify rooms, equipment or storeys. */
export const NODE_KEYS = ['code', 'externalId', 'id'] as const
export type NodeKey = (typeof NODE_KEYS)[number]

export type FindNode<Node> = (text: string) => Node | undefined

type Identified = Pick<SpaceNode, 'id' | 'code' | 'externalIds'>

/** Finds nodes by code, external id or id. A code in another case, such as a-101 for A-101, matches if it is unique. */
export function nodeFinders<Node extends Identified>(nodes: readonly Node[]): Record<NodeKey, FindNode<Node>> {
  const ids = new Map(nodes.map((node) => [node.id.toLowerCase(), node]))
  const codes = new Map(nodes.map((node) => [node.code, node]))
  const folded = new Map<string, Node | undefined>()
  for (const node of nodes) {
    const key = node.code.toLowerCase()
    folded.set(key, folded.has(key) ? undefined : node)
  }
  const externalIds = externalIdsOf(nodes)
  return {
    code: (text) => codes.get(text) ?? folded.get(text.toLowerCase()),
    externalId: (text) => externalIds.get(text),
    id: (text) => ids.get(text.toLowerCase()),
  }
}

/**
 * If several nodes have the same external id under different systems, the node with the id of `ifc` is found, as in the
 * API; if none has the id of `ifc`, the first node.
 */
function externalIdsOf<Node extends Identified>(nodes: readonly Node[]): Map<string, Node> {
  const found = new Map<string, Node>()
  const fromIfc = new Set<string>()
  for (const node of nodes) {
    for (const { sourceSystem, externalId } of node.externalIds) {
      const isIfc = sourceSystem === IFC_SOURCE
      if (found.has(externalId) && (!isIfc || fromIfc.has(externalId))) continue
      found.set(externalId, node)
      if (isIfc) fromIfc.add(externalId)
    }
  }
  return found
}
