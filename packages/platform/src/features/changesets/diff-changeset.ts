import { type ChangesetState, problems } from '@storey/contract'
import type { GraphAccess, GraphEdit, NodeChange } from '../../graph/index.ts'
import { evaluate } from './apply-changeset.ts'
import { type ChangesetAddress, readChanges, readChangeset, statesOfChanges } from './changesets.store.ts'
import { conflictingNodes } from './conflicts.ts'

export interface Diff {
  state: ChangesetState
  baseRevision: number
  changes: NodeChange[]
  /** Nodes that prevent applying the changeset. */
  conflicts: string[]
}

/** What a changeset would change in the current graph, or what it changed when it was applied. */
export async function diffChangeset(graph: GraphAccess, address: ChangesetAddress): Promise<Diff> {
  return graph.preview(address.buildingId, async (edit) => {
    const changeset = await readChangeset(edit.tx, address)
    if (!changeset) throw problems.notFound('changeset')
    const { state, baseRevision, appliedRevision } = changeset
    if (state === 'applied' || state === 'reverted') {
      const changes = appliedRevision === null ? [] : await changesOf(edit, appliedRevision)
      return { state, baseRevision, changes, conflicts: [] }
    }
    const findings = await evaluate(edit, changeset)
    const failing = new Set(findings.map(({ nodeId }) => nodeId))
    const changes = edit.changes().filter(({ nodeId }) => !failing.has(nodeId))
    return { state, baseRevision, changes, conflicts: conflictingNodes(findings) }
  })
}

async function changesOf(edit: GraphEdit, revision: number): Promise<NodeChange[]> {
  await edit.reserve(statesOfChanges(edit.buildingId, revision))
  return readChanges(edit.tx, edit.buildingId, revision)
}
