import { REQUEST_MOVES, type RequestState } from '@storey/contract'
import type { RequestRecord } from '@storey/sdk'
import type { IconName, Tone } from '@storey/web'

/** How the moves are offered: what brings a request on comes first, what ends it without a result last. */
const ORDER: readonly RequestState[] = ['resolved', 'in_progress', 'closed', 'assigned', 'on_hold', 'cancelled']

export const movesFrom = (state: RequestState): RequestState[] => {
  const moves: readonly RequestState[] = REQUEST_MOVES[state]
  // What is resolved is over, unless somebody finds otherwise.
  return state === 'resolved' ? [...moves] : moves.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))
}

export type EndState = {
  [State in RequestState]: (typeof REQUEST_MOVES)[State] extends readonly [] ? State : never
}[RequestState]

/** Whether no move leads on from there. */
export const isOver = (state: RequestState): state is EndState => REQUEST_MOVES[state].length === 0

interface Looks {
  tone: Tone
  icon: IconName
}

export const STATE_LOOKS: Record<RequestState, Looks> = {
  new: { tone: 'warn', icon: 'info' },
  assigned: { tone: 'info', icon: 'person' },
  in_progress: { tone: 'info', icon: 'clock' },
  on_hold: { tone: 'neutral', icon: 'list' },
  resolved: { tone: 'good', icon: 'check' },
  closed: { tone: 'neutral', icon: 'check' },
  cancelled: { tone: 'neutral', icon: 'cross' },
}
export const STATES = Object.keys(STATE_LOOKS) as RequestState[]

export const PRIORITY_LOOKS: Record<RequestRecord['priority'], Looks | { tone: Tone }> = {
  critical: { tone: 'bad', icon: 'warning' },
  high: { tone: 'warn', icon: 'warning' },
  normal: { tone: 'neutral' },
  low: { tone: 'neutral' },
}
export const PRIORITIES = Object.keys(PRIORITY_LOOKS) as RequestRecord['priority'][]

export const SLA_LOOKS: Record<RequestRecord['slaState'], Looks> = {
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
