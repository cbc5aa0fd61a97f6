import type { ProblemCode } from './problems.ts'

/** The Socket.IO namespace, and the paths at which it is reached. */
export const LIVE_NAMESPACE = '/buildings'
export const LIVE_PATHS = ['/socket.io', '/socket'] as const

/** Emitted by a client. `join` and `leave` take the bare id as well. */
export const LIVE_ORDERS = ['join', 'leave', 'resume'] as const

export interface LiveRefusal {
  ok: false
  code: ProblemCode | 'SNAPSHOT_REQUIRED'
}

/** The answer to `join`: the number of the last event before it, to resume after. */
export type JoinAnswer = { ok: true; buildingId: string; sequence: number } | LiveRefusal

/** `resume {buildingId, after}` joins, and sends what came after that number; SNAPSHOT_REQUIRED: read the state anew. */
export type ResumeAnswer = { ok: true; buildingId: string; sequence: number; replayed: number } | LiveRefusal

/**
 * The second argument of every event; the first is its fields. Numbers of a building follow each other without a gap,
 * but where `skipped` says that this socket was too slow for some: it then holds the last value of each point in them.
 */
export interface LiveMeta {
  sequence: number
  skipped?: number
}
