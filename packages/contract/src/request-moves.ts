export const REQUEST_STATES = ['new', 'assigned', 'in_progress', 'on_hold', 'resolved', 'closed', 'cancelled'] as const
export type RequestState = (typeof REQUEST_STATES)[number]
/** The states of a request that somebody still has to work on. */
export const OPEN_REQUEST_STATES = [
  'new',
  'assigned',
  'in_progress',
  'on_hold',
] as const satisfies readonly RequestState[]

/** The state transitions of a request: any other is a conflict. */
export const REQUEST_MOVES = {
  new: ['assigned', 'in_progress', 'cancelled'],
  assigned: ['in_progress', 'on_hold', 'cancelled'],
  in_progress: ['on_hold', 'resolved', 'cancelled'],
  on_hold: ['in_progress', 'cancelled'],
  resolved: ['closed', 'in_progress'],
  closed: [],
  cancelled: [],
} as const satisfies Record<RequestState, readonly RequestState[]>
