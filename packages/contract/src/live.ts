import Type, { type Static } from 'typebox'
import { closed, NodeId } from './graph/index.ts'
import type { ProblemCode } from './problems.ts'

/** The Socket.IO namespace, and the paths at which it is reached. */
export const LIVE_NAMESPACE = '/buildings'
export const LIVE_PATHS = ['/socket.io', '/socket'] as const
/** Either path, with or without its last slash, and nothing below it. */
export const LIVE_TARGET = /^\/socket(?:\.io)?\/?(?=\?|$)/

/** Emitted by a client. `join` and `leave` take the bare id as well. */
export const LIVE_ORDERS = ['join', 'leave', 'resume'] as const

export const JoinOrder = Type.Union([NodeId, Type.Object({ buildingId: NodeId }, closed)])
export type JoinOrder = Static<typeof JoinOrder>

export const ResumeOrder = Type.Object(
  { buildingId: NodeId, after: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) },
  closed,
)
export type ResumeOrder = Static<typeof ResumeOrder>

export interface LiveRefusal {
  ok: false
  code: ProblemCode | 'SNAPSHOT_REQUIRED'
}

/** The answer to `join`: the number of the last event before it, to resume after. */
export type JoinAnswer = { ok: true; buildingId: string; sequence: number } | LiveRefusal

export type LeaveAnswer = { ok: true; buildingId: string } | LiveRefusal

/**
 * `resume {buildingId, after}` joins, and sends what came after that number, which is `replayed` events and then the new
 * ones. SNAPSHOT_REQUIRED: they are no longer at hand, or the number is of another process; nothing was joined. Then
 * `join`, and read the state anew.
 */
export type ResumeAnswer = { ok: true; buildingId: string; sequence: number; replayed: number } | LiveRefusal

/**
 * The second argument of every event; the first is its fields. The numbers of a building follow each other without a
 * gap, but where `skipped` says that this socket was too slow for so many events before this one. The last value of each
 * point in those has come before or comes in a later event, and `resume` may still have them one by one.
 */
export interface LiveMeta {
  sequence: number
  skipped?: number
}
