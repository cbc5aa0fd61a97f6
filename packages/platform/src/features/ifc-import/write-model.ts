import { type ImportCounts, NODE_KINDS, type NodeKind, type RemovedNode, revisionSummaries } from '@storey/contract'
import type { IfcModel } from '@storey/ifc'
import type { Clock } from '@storey/kit/clock'
import type { Lease, Tx } from '@storey/kit/database'
import { type GraphAccess, type GraphEdit, type NodeChange, TABLES } from '../../graph/index.ts'
import { addGlobalIds, type FinishedImport, finishImport, type WaitingImport } from './imports.store.ts'
import { keepLabels } from './merge-model.store.ts'
import { mergeModel, type NotMerged } from './merge-model.ts'
import { replaceModel, type Successors } from './replace-model.ts'

/**
 * Detaches the data of replaced nodes (layer values, service requests), and returns a function that attaches it to the
 * new nodes.
 */
export type DetachData = (tx: Tx, successors: Successors) => Promise<() => Promise<void>>

/** Writes a model into the graph as one revision, and finishes the import, in one transaction. */
export async function writeModel(
  graph: GraphAccess,
  clock: Clock,
  { id, buildingId, replace, actor }: WaitingImport,
  lease: Lease,
  model: IfcModel,
  detachData: DetachData,
): Promise<FinishedImport> {
  const write = async (edit: GraphEdit) => {
    const replaced = replace ? await replaceModel(edit, model) : undefined
    const removed: RemovedNode[] = replaced?.removed ?? []
    const attachData = replaced && (await detachData(edit.tx, replaced.successors))
    const notMerged = replace ? undefined : await mergeModel(edit, model)
    const form = replace ? 'modelReplaced' : 'modelImported'
    const made = await edit.commit({ actor, summary: revisionSummaries.format(form, { schema: model.schema }) })
    await attachData?.()
    if (made !== null) {
      const { building, site } = model
      await addGlobalIds(edit.tx, buildingId, { building: building?.globalId ?? null, site: site?.globalId ?? null })
    }
    await keepLabels(edit.tx, buildingId, model.spaces)
    const counts = countsOf(model, made?.changes ?? [], notMerged)
    const all = [...Object.values(notMerged ?? {}).flat(), ...model.leftOut]
    const done = { schema: model.schema, revision: made?.revision ?? null, counts, leftOut: all, removed }
    await finishImport(edit.tx, id, lease, done, clock.now())
    return done
  }
  return graph.change(buildingId, write, 'import')
}

/**
 * Counts the changes by kind. Entities that are left out are not counted. Of the others, those whose nodes were neither
 * created nor updated count as unchanged.
 */
function countsOf(
  model: IfcModel,
  changes: readonly NodeChange[],
  notMerged: NotMerged = { storey: [], space: [], element: [] },
): FinishedImport['counts'] {
  const merged: Record<NodeKind, number> = {
    storey: model.storeys.length - notMerged.storey.length,
    space: model.spaces.length - notMerged.space.length,
    element: model.elements.length - notMerged.element.length,
    point: 0,
  }
  const count = (kind: NodeKind): ImportCounts => {
    const of = (op: NodeChange['op']) => changes.filter((change) => change.kind === kind && change.op === op).length
    const [created, updated, removed] = [of('create'), of('update'), of('delete')]
    return { created, updated, unchanged: Math.max(0, merged[kind] - created - updated), removed }
  }
  return Object.fromEntries(NODE_KINDS.map((kind) => [TABLES[kind], count(kind)])) as FinishedImport['counts']
}
