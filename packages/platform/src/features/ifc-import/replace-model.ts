import { type ElementNode, type GraphNode, IFC_SOURCE, type NodeKind, type RemovedNode } from '@storey/contract'
import type { IfcModel } from '@storey/ifc'
import { type GraphEdit, KINDS_IN_ORDER, parentsOf, withExternalIds } from '../../graph/index.ts'
import { allNodes, nodesOf } from './merge-model.store.ts'
import { codeChoice, elementLabel, elementNode, spaceNode, storeyIndexes, storeyNode } from './model-nodes.ts'

/**
 * Replaces all nodes of the generated building and of earlier models (both have the source system `ifc`). A node that
 * the new model has too, as the same kind of node, gets a new id, and keeps its GlobalIds, its code and the external
 * ids of clients. A node that a client created stays. If its parent is removed, the node moves below the successor of
 * the parent, or is deleted if the parent has no successor.
 */
export async function replaceModel(
  edit: GraphEdit,
  model: IfcModel,
): Promise<{ removed: RemovedNode[]; successors: Successors }> {
  await edit.reserve(nodesOf(edit.buildingId))
  for await (const batch of allNodes(edit.tx, edit.buildingId)) {
    for (const { kind, state } of batch) {
      edit.entries.set(state.id, { kind, before: state, after: state, pointer: '', verbatim: false })
    }
  }
  const old = [...edit.entries].filter(([, { after }]) => after!.sourceSystem === IFC_SOURCE).map(([id]) => id)
  const own = [...edit.entries].filter(([id]) => edit.entries.get(id)!.after!.sourceSystem !== IFC_SOURCE)
  const successors = rebuild(
    edit,
    model,
    old,
    own.map(([, e]) => e.after!),
  )
  for (const id of old) edit.remove(id)
  const removed = moveOwn(
    edit,
    own.map(([id]) => id),
    successors,
  )
  return { removed, successors }
}

/** The id of each new node, by the id of the node of the same kind that it replaces. */
export type Successors = ReadonlyMap<string, string>

function rebuild(edit: GraphEdit, model: IfcModel, old: readonly string[], own: readonly GraphNode[]): Successors {
  const successors = new Map<string, string>()
  const inModel = kindsByGlobalId(model)
  const byGlobalId = new Map<string, GraphNode>()
  for (const id of old) {
    const { kind, after } = edit.entries.get(id)!
    for (const globalId of globalIdsOf(after!)) if (inModel.get(globalId) === kind) byGlobalId.set(globalId, after!)
  }
  // The codes of nodes that stay or have a successor are not available for new nodes.
  const choose = codeChoice(new Set([...own, ...byGlobalId.values()].map(({ code }) => code)))
  const codeOf = (globalId: string, label: string | null) => {
    const was = byGlobalId.get(globalId)
    return was !== undefined && !successors.has(was.id) ? was.code : choose(label)
  }
  const put = <K extends 'storey' | 'space' | 'element'>(kind: K, node: GraphNode, globalId: string) => {
    const was = byGlobalId.get(globalId)
    const isSuccessor = was !== undefined && !successors.has(was.id)
    const others = isSuccessor
      ? was.externalIds.filter((id) => !(id.sourceSystem === IFC_SOURCE && inModel.has(id.externalId)))
      : []
    if (isSuccessor) successors.set(was.id, node.id)
    edit.put(kind, withExternalIds(node, [...node.externalIds, ...others]) as never)
    return node.id
  }
  const indexes = storeyIndexes(model)
  const ids = new Map<string, string>()
  for (const storey of model.storeys) {
    const node = storeyNode(storey, indexes.get(storey.globalId)!, codeOf(storey.globalId, storey.name))
    ids.set(storey.globalId, put('storey', node, storey.globalId))
  }
  for (const space of model.spaces) {
    const node = spaceNode(space, ids.get(space.storeyGlobalId)!, codeOf(space.globalId, space.name))
    ids.set(space.globalId, put('space', node, space.globalId))
  }
  for (const element of model.elements) {
    const spaceId = ids.get(element.spaceGlobalId ?? '') ?? null
    const place = { spaceId, storeyId: spaceId === null ? (ids.get(element.storeyGlobalId ?? '') ?? null) : null }
    put('element', elementNode(element, place, codeOf(element.globalId, elementLabel(element))), element.globalId)
  }
  return successors
}

function kindsByGlobalId({ storeys, spaces, elements }: IfcModel): Map<string, NodeKind> {
  const kinds = new Map<string, NodeKind>()
  for (const { globalId } of storeys) kinds.set(globalId, 'storey')
  for (const { globalId } of spaces) kinds.set(globalId, 'space')
  for (const { globalId } of elements) kinds.set(globalId, 'element')
  return kinds
}

const globalIdsOf = ({ externalIds }: GraphNode) =>
  externalIds.filter(({ sourceSystem }) => sourceSystem === IFC_SOURCE).map(({ externalId }) => externalId)

const PARENT_FIELDS = ['storeyId', 'spaceId', 'elementId'] as const

/**
 * Moves the nodes of clients below the successors of their parents. Parents come before their children, so that a node
 * whose parent is deleted is deleted too.
 */
function moveOwn(edit: GraphEdit, own: readonly string[], successors: Successors): RemovedNode[] {
  const removed: RemovedNode[] = []
  const ownIds = new Set(own)
  for (const kind of KINDS_IN_ORDER) {
    for (const id of own) {
      const { kind: itsKind, after } = edit.entries.get(id)!
      if (itsKind !== kind || after === null) continue
      const moved = withNewParents(kind, after, successors)
      const lost = parentsOf(kind, moved).find((parent) => edit.entries.get(parent.id)?.after == null)
      if (lost === undefined) {
        edit.amend(moved)
        continue
      }
      edit.remove(id)
      const parent = lost.kinds[0]!
      const reason = ownIds.has(lost.id)
        ? `its ${parent} was removed`
        : `the model has no ${parent} with the GlobalId of its previous ${parent}`
      removed.push(removedNode(kind, after, reason))
    }
  }
  return removed
}

function withNewParents(kind: NodeKind, node: GraphNode, successors: Successors): GraphNode {
  const moved = { ...node } as Record<string, unknown>
  for (const field of PARENT_FIELDS) {
    const successor = successors.get(String(moved[field]))
    if (successor !== undefined) moved[field] = successor
  }
  if (kind === 'element') moved.serves = (node as ElementNode).serves.map((id) => successors.get(id) ?? id).sort()
  return moved as unknown as GraphNode
}

function removedNode(
  kind: NodeKind,
  { id, code, name, sourceSystem, externalId }: GraphNode,
  reason: string,
): RemovedNode {
  return { id, kind, code, name, sourceSystem, externalId, reason }
}
