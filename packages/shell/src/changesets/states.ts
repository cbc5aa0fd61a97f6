import type { CHANGESET_STEPS, ChangesetState } from '@storey/contract'
import type { IconName, Tone } from '@storey/web'

/** As the contract has them; a step that is not there is an error of the types. */
const STEPS: typeof CHANGESET_STEPS = {
  draft: ['change', 'submit'],
  submitted: ['review'],
  approved: ['apply'],
  rejected: [],
  applied: ['revert'],
  reverted: [],
}

export type NextStep = 'submit' | 'review' | 'apply' | 'revert'

export const nextStep = (state: ChangesetState): NextStep | undefined =>
  STEPS[state].find((step): step is NextStep => step !== 'change')

export const STATES: readonly ChangesetState[] = ['submitted', 'draft', 'approved', 'applied', 'rejected', 'reverted']

export const STATE_LOOKS: Record<ChangesetState, { tone: Tone; icon: IconName }> = {
  draft: { tone: 'neutral', icon: 'list' },
  submitted: { tone: 'warn', icon: 'clock' },
  approved: { tone: 'info', icon: 'check' },
  rejected: { tone: 'bad', icon: 'cross' },
  applied: { tone: 'good', icon: 'check' },
  reverted: { tone: 'neutral', icon: 'reset' },
}
