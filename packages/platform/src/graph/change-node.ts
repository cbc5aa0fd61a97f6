import {
  LIMITS,
  type NewExternalId,
  type NewNode,
  type NodeKind,
  type NodeOf,
  type NodePatch,
  problems,
  revisionSummaries,
} from '@storey/contract'
import { instantVersion, type Precondition } from '@storey/kit/http'
import type { ByCaller } from '../caller.ts'
import { withExternalIds } from './external-ids.ts'
import type { GraphEdit } from './graph-edit.ts'
import type { GraphAccess } from './open-graph.ts'
import { checkSourceSystem } from './source-system.ts'

/** The building and the id of a node, as the path of a request names them. */
export interface NodeAddress {
  buildingId: string
  id: string
}

export async function createNode<K extends NodeKind>(
  graph: GraphAccess,
  kind: K,
  buildingId: string,
  body: NewNode[K],
  actor: string,
): Promise<string> {
  return graph.change(buildingId, async (edit) => {
    const { id } = edit.create(kind, body)
    await edit.commit({ actor, summary: revisionSummaries.format('created', { kind, name: body.name }) })
    return id
  })
}

export async function patchNode<K extends NodeKind>(
  graph: GraphAccess,
  kind: K,
  { buildingId, id }: NodeAddress,
  patch: NodePatch[K],
  { caller: { actor }, precondition }: ByCaller,
): Promise<void> {
  await onNode(graph, kind, { buildingId, id }, precondition, async (edit, node) => {
    edit.update(kind, node.id, patch)
    await edit.commit({
      actor,
      summary: revisionSummaries.format('changed', { fields: Object.keys(patch).join(', '), kind, code: node.code }),
    })
  })
}

export async function deleteNode(
  graph: GraphAccess,
  kind: NodeKind,
  address: NodeAddress,
  { caller: { actor }, precondition }: ByCaller,
): Promise<void> {
  await onNode(graph, kind, address, precondition, async (edit, node) => {
    edit.remove(node.id)
    await edit.commit({ actor, summary: revisionSummaries.format('deleted', { kind, code: node.code }) })
  })
}

export async function addExternalId(
  graph: GraphAccess,
  kind: NodeKind,
  address: NodeAddress,
  added: NewExternalId,
  { caller: { actor }, precondition }: ByCaller,
): Promise<void> {
  checkSourceSystem(added.sourceSystem)
  await onNode(graph, kind, address, precondition, async (edit, node) => {
    if (node.externalIds.some((pair) => isSame(pair, added))) {
      throw problems.nodeConflict('externalId', 'The node has this external id already', [node.id])
    }
    if (node.externalIds.length >= LIMITS.node.externalIds) {
      throw problems.field('externalId', `a node has at most ${LIMITS.node.externalIds} external ids`)
    }
    edit.put(kind, withExternalIds(node, [...node.externalIds, added]) as never)
    await edit.commit({
      actor,
      summary: revisionSummaries.format('externalIdAdded', { system: added.sourceSystem, kind, code: node.code }),
    })
  })
}

export async function removeExternalId(
  graph: GraphAccess,
  kind: NodeKind,
  address: NodeAddress,
  removed: NewExternalId,
  { caller: { actor }, precondition }: ByCaller,
): Promise<void> {
  checkSourceSystem(removed.sourceSystem, 'sourceSystem', problems.query)
  await onNode(graph, kind, address, precondition, async (edit, node) => {
    const left = node.externalIds.filter((pair) => !isSame(pair, removed))
    if (left.length === node.externalIds.length) throw problems.notFound('external id')
    edit.put(kind, withExternalIds(node, left) as never)
    await edit.commit({
      actor,
      summary: revisionSummaries.format('externalIdRemoved', { system: removed.sourceSystem, kind, code: node.code }),
    })
  })
}

const isSame = (a: NewExternalId, b: NewExternalId) =>
  a.sourceSystem === b.sourceSystem && a.externalId === b.externalId

async function onNode<K extends NodeKind>(
  graph: GraphAccess,
  kind: K,
  { buildingId, id }: NodeAddress,
  precondition: Precondition,
  work: (edit: GraphEdit, node: NodeOf[K]) => Promise<void>,
): Promise<void> {
  await graph.change(buildingId, async (edit) => {
    const key = id.toLowerCase()
    await edit.load([key])
    const node = edit.get(kind, key)
    if (!node) throw problems.notFound(kind)
    precondition.check(instantVersion(node.updatedAt))
    await work(edit, node)
  })
}
