import { CHANGESET_STEPS, type ChangesetState, type ChangesetStep, Problem, problems } from '@storey/contract'
import type { Tx } from '@storey/kit/database'
import type { Precondition } from '@storey/kit/http'
import { type Changeset, type ChangesetAddress, countSteps, lockChangeset, versionAfter } from './changesets.store.ts'

/** Throws CONFLICT if the state does not allow the step: `CHANGESET_STEPS` has the steps that each state allows. */
export function checkStep(state: ChangesetState, step: ChangesetStep): void {
  const allowed: readonly ChangesetStep[] = CHANGESET_STEPS[state]
  if (allowed.includes(step)) return
  const next = allowed.length === 0 ? 'no step follows this state' : `the next step can be ${allowed.join(' or ')}`
  throw new Problem('CONFLICT', `The changeset is ${state}, so ${step} is not possible: ${next}`, {
    members: { field: 'state', state, allowed },
  })
}

/** The changeset, locked until the end of the transaction. */
export async function requireChangeset(
  tx: Tx,
  address: ChangesetAddress,
  precondition: Precondition,
): Promise<Changeset> {
  const changeset = await lockChangeset(tx, address)
  if (!changeset) throw problems.notFound('changeset')
  precondition.check(versionAfter(changeset.id, await countSteps(tx, changeset.id)))
  return changeset
}
