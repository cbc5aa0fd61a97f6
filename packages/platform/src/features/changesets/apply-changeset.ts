import { revisionSummaries } from '@storey/contract'
import type { ByCaller } from '../../caller.ts'
import type { GraphAccess, GraphEdit } from '../../graph/index.ts'
import { type Changeset, type ChangesetAddress, findChangedSince, writeStep } from './changesets.store.ts'
import { changedSince, conflictOver, type Finding } from './conflicts.ts'
import { runOperations } from './run-operations.ts'
import { checkStep, requireChangeset } from './steps.ts'

/** Writes an approved changeset as one revision, or nothing if there is a conflict. */
export async function applyChangeset(
  graph: GraphAccess,
  address: ChangesetAddress,
  comment: string | null | undefined,
  { caller: { actor }, precondition }: ByCaller,
): Promise<void> {
  await graph.change(address.buildingId, async (edit) => {
    const changeset = await requireChangeset(edit.tx, address, precondition)
    checkStep(changeset.state, 'apply')
    const findings = await evaluate(edit, changeset)
    if (findings.length > 0) throw conflictOver(findings)
    const { id, title } = changeset
    const made = await edit.write({
      actor,
      summary: revisionSummaries.format('changesetApplied', { title }),
      changesetId: id,
    })
    const step = { action: 'apply', state: 'applied', at: edit.at, actor, comment, revision: made?.revision } as const
    await writeStep(edit.tx, id, step)
  })
}

/**
 * Runs a changeset in an edit, and returns why it cannot be applied: nodes that have changed since its base revision,
 * and operations that fail.
 */
export async function evaluate(edit: GraphEdit, { operations, baseRevision }: Changeset): Promise<Finding[]> {
  const created = new Set(operations.filter(({ op }) => op === 'create').map(({ id }) => id))
  const touched = operations.map(({ id }) => id).filter((id) => !created.has(id))
  const changed = await findChangedSince(edit.tx, edit.buildingId, baseRevision, touched)
  return [...changedSince(baseRevision, changed), ...(await runOperations(edit, operations))]
}
