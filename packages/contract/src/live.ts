import Type, { type Static } from 'typebox'
import { closed } from './closed.ts'
import { NodeId } from './ids.ts'
import type { ProblemCode } from './problems.ts'

/** The Socket.IO namespace of events, and the paths of the Socket.IO server. */
export const LIVE_NAMESPACE = '/buildings'
export const LIVE_PATHS = ['/socket.io', '/socket'] as const
/** The route of the live channel in metrics and the access log. */
export const LIVE_ROUTE = LIVE_PATHS[0]
/** Matches either path, with or without a trailing slash, and nothing below it. */
export const LIVE_TARGET = /^\/socket(?:\.io)?\/?(?=\?|$)/

/** The events that a client sends. `join` and `leave` also accept the plain id of a building. */
export const LIVE_COMMANDS = ['join', 'leave', 'resume'] as const

export const JoinCommand = Type.Union([NodeId, Type.Object({ buildingId: NodeId }, closed)])
export type JoinCommand = Static<typeof JoinCommand>

export const ResumeCommand = Type.Object(
  { buildingId: NodeId, after: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) },
  closed,
)
export type ResumeCommand = Static<typeof ResumeCommand>

export interface LiveRefusal {
  ok: false
  code: ProblemCode | 'SNAPSHOT_REQUIRED'
}

/** The acknowledgement of `join`. `sequence` is the number of the last event before the join, for a later `resume`. */
export type JoinAnswer = { ok: true; buildingId: string; sequence: number } | LiveRefusal

export type LeaveAnswer = { ok: true; buildingId: string } | LiveRefusal

/**
 * `resume {buildingId, after}` joins the channel. The client then gets the events after the number `after`: `replayed`
 * old events, then new ones. SNAPSHOT_REQUIRED means that the old events are no longer kept, or that another process
 * assigned the number. In this case the client has not joined: it has to `join` and read the state again.
 */
export type ResumeAnswer = { ok: true; buildingId: string; sequence: number; replayed: number } | LiveRefusal

/**
 * The second argument of every event; the first has the fields of the event. The sequence numbers of a building have no
 * gaps, except where `skipped` counts events that were not sent to a slow socket. The socket still gets the last value
 * of each point in the skipped events, with this event or a later one. As long as the skipped events are kept, `resume`
 * replays them one by one.
 */
export interface LiveMeta {
  sequence: number
  skipped?: number
}
