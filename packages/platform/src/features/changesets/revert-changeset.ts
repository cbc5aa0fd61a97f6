import { revisionSummaries } from '@storey/contract'
import type { ByCaller } from '../../caller.ts'
import type { GraphAccess, GraphEdit } from '../../graph/index.ts'
import {
  type ChangesetAddress,
  findChangedSince,
  readStatesBefore,
  statesBefore,
  writeStep,
} from './changesets.store.ts'
import { changedSince, conflictOver, type Finding } from './conflicts.ts'
import { findingOf } from './run-operations.ts'
import { checkStep, requireChangeset } from './steps.ts'

/** Restores every node that a changeset wrote, with its timestamps and code. Restores none if there is a conflict. */
export async function revertChangeset(
  graph: GraphAccess,
  address: ChangesetAddress,
  comment: string | null | undefined,
  { caller: { actor }, precondition }: ByCaller,
): Promise<void> {
  await graph.change(
    address.buildingId,
    async (edit) => {
      const { id, title, state, appliedRevision } = await requireChangeset(edit.tx, address, precondition)
      checkStep(state, 'revert')
      // A changeset that changed nothing has no revision.
      const findings = appliedRevision === null ? [] : await undo(edit, appliedRevision)
      if (findings.length > 0) throw conflictOver(findings)
      const made = await edit.write({
        actor,
        summary: revisionSummaries.format('changesetReverted', { title }),
        changesetId: id,
      })
      const step = {
        action: 'revert',
        state: 'reverted',
        at: edit.at,
        actor,
        comment,
        revision: made?.revision,
      } as const
      await writeStep(edit.tx, id, step)
    },
    'revert',
  )
}

async function undo(edit: GraphEdit, revision: number): Promise<Finding[]> {
  await edit.reserve(statesBefore(edit.buildingId, revision))
  const changes = await readStatesBefore(edit.tx, edit.buildingId, revision)
  const ids = changes.map(({ nodeId }) => nodeId)
  const changed = await findChangedSince(edit.tx, edit.buildingId, revision, ids)
  await edit.load(ids)
  for (const { kind, nodeId, before } of changes) edit.restore(kind, nodeId, before)
  const violations = await edit.validate()
  return [...changedSince(revision, changed), ...violations.flatMap((violation) => findingOf(edit, violation))]
}
