import { CHANGESET_STEPS, type ChangesetState, type ChangesetStep, Problem } from '@storey/contract'

/** draft → submitted → approved or rejected; approved → applied → reverted. */
export function checkStep(state: ChangesetState, step: ChangesetStep): void {
  const allowed: readonly ChangesetStep[] = CHANGESET_STEPS[state]
  if (allowed.includes(step)) return
  const next = allowed.length === 0 ? 'no step follows this state' : `the next step can be ${allowed.join(' or ')}`
  throw new Problem('CONFLICT', `The changeset is ${state}, so ${step} is not possible: ${next}`, {
    members: { field: 'state', state, allowed },
  })
}
