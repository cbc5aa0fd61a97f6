import { revisionSummaries } from '@storey/contract'
import type { Caller } from '../../caller.ts'
import type { GraphAccess, GraphEdit } from '../../graph/index.ts'
import { type ChangesetAddress, findChangedSince, readChanges, writeStep } from './changesets.store.ts'
import { changedSince, conflictOver, type Finding } from './findings.ts'
import { takeChangeset } from './review-changeset.ts'
import { findingOf } from './run-operations.ts'
import { checkStep } from './steps.ts'

/** Puts every node that a changeset wrote back as it was, times and codes included, or, where one cannot be, none. */
export async function revertChangeset(
  graph: GraphAccess,
  address: ChangesetAddress,
  comment: string | null | undefined,
  { actor }: Caller,
): Promise<void> {
  await graph.change(address.buildingId, async (edit) => {
    const { id, title, state, appliedRevision } = await takeChangeset(edit.tx, address)
    checkStep(state, 'revert')
    // One that came to nothing has nothing to take back.
    const findings = appliedRevision === null ? [] : await undo(edit, appliedRevision)
    if (findings.length > 0) throw conflictOver(findings)
    const made = await edit.write({
      actor,
      summary: revisionSummaries.say('changesetReverted', { title }),
      changesetId: id,
    })
    const step = { action: 'revert', state: 'reverted', at: edit.at, actor, comment, revision: made?.revision } as const
    await writeStep(edit.tx, id, step)
  })
}

async function undo(edit: GraphEdit, revision: number): Promise<Finding[]> {
  const changes = await readChanges(edit.tx, edit.buildingId, revision)
  const ids = changes.map(({ nodeId }) => nodeId)
  const changed = await findChangedSince(edit.tx, edit.buildingId, revision, ids)
  await edit.load(ids)
  for (const { kind, nodeId, before } of changes) edit.restore(kind, nodeId, before)
  const faults = await edit.settle()
  return [...changedSince(revision, changed), ...faults.flatMap((fault) => findingOf(edit, fault))]
}
