import { REQUEST_MOVES, type RequestState } from '@storey/contract'
import type { RequestRecord } from '@storey/sdk'
import type { IconName, Tone } from '@storey/web'

/** The order of the buttons: progress first, cancellation last. */
const ORDER: readonly RequestState[] = ['resolved', 'in_progress', 'closed', 'assigned', 'on_hold', 'cancelled']

type Assignable = Pick<RequestRecord, 'state' | 'assignedUserId' | 'assignedTeamId'>

/** The states that a request can be moved to. To be assigned, it needs an assignee first. */
export const transitionsFrom = ({ state, assignedUserId, assignedTeamId }: Assignable): RequestState[] => {
  const isAssigned = assignedUserId !== null || assignedTeamId !== null
  const states = REQUEST_MOVES[state].filter((to: RequestState) => to !== 'assigned' || isAssigned)
  // A resolved request keeps the order of `REQUEST_MOVES`: closing comes before reopening.
  return state === 'resolved' ? [...states] : states.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))
}

export type FinalState = {
  [State in RequestState]: (typeof REQUEST_MOVES)[State] extends readonly [] ? State : never
}[RequestState]

/** Whether no transition leads out of the state. */
export const isFinal = (state: RequestState): state is FinalState => REQUEST_MOVES[state].length === 0

interface BadgeProps {
  tone: Tone
  icon: IconName
}

export const STATE_BADGES: Record<RequestState, BadgeProps> = {
  new: { tone: 'warn', icon: 'info' },
  assigned: { tone: 'info', icon: 'person' },
  in_progress: { tone: 'info', icon: 'clock' },
  on_hold: { tone: 'neutral', icon: 'list' },
  resolved: { tone: 'good', icon: 'check' },
  closed: { tone: 'neutral', icon: 'check' },
  cancelled: { tone: 'neutral', icon: 'cross' },
}
export const STATES = Object.keys(STATE_BADGES) as RequestState[]

export const PRIORITY_BADGES: Record<RequestRecord['priority'], BadgeProps | { tone: Tone }> = {
  critical: { tone: 'bad', icon: 'warning' },
  high: { tone: 'warn', icon: 'warning' },
  normal: { tone: 'neutral' },
  low: { tone: 'neutral' },
}
export const PRIORITIES = Object.keys(PRIORITY_BADGES) as RequestRecord['priority'][]

export const SLA_BADGES: Record<RequestRecord['slaState'], BadgeProps> = {
  on_time: { tone: 'good', icon: 'clock' },
  warning: { tone: 'warn', icon: 'clock' },
  breached: { tone: 'bad', icon: 'warning' },
  met: { tone: 'good', icon: 'check' },
}

export const CATEGORIES = [
  'hvac',
  'electrical',
  'plumbing',
  'lifts',
  'cleaning',
  'security',
  'it',
  'other',
] as const satisfies readonly RequestRecord['category'][]
