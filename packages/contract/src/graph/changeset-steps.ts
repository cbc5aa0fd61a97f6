export const CHANGESET_STATES = ['draft', 'submitted', 'approved', 'rejected', 'applied', 'reverted'] as const
export type ChangesetState = (typeof CHANGESET_STATES)[number]

/** The steps that a changeset accepts in each state. `change` is a PATCH request. */
export const CHANGESET_STEPS = {
  draft: ['change', 'submit'],
  submitted: ['review'],
  approved: ['apply'],
  rejected: [],
  applied: ['revert'],
  reverted: [],
} as const satisfies Record<ChangesetState, readonly string[]>
export type ChangesetStep = (typeof CHANGESET_STEPS)[ChangesetState][number]
