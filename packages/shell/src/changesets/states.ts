import { CHANGESET_STEPS, type ChangesetState } from '@storey/contract'
import type { IconName, Tone } from '@storey/web'

export type NextStep = 'submit' | 'review' | 'apply' | 'revert'

export const nextStep = (state: ChangesetState): NextStep | undefined =>
  CHANGESET_STEPS[state].find((step): step is NextStep => step !== 'change')

export const STATES: readonly ChangesetState[] = ['submitted', 'draft', 'approved', 'applied', 'rejected', 'reverted']

export const STATE_BADGES: Record<ChangesetState, { tone: Tone; icon: IconName }> = {
  draft: { tone: 'neutral', icon: 'list' },
  submitted: { tone: 'warn', icon: 'clock' },
  approved: { tone: 'info', icon: 'check' },
  rejected: { tone: 'bad', icon: 'cross' },
  applied: { tone: 'good', icon: 'check' },
  reverted: { tone: 'neutral', icon: 'reset' },
}
