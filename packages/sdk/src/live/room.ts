import type { JoinAnswer, ResumeAnswer } from '@storey/contract'
import type { Socket } from 'socket.io-client'
import { StoreyError } from '../errors.ts'
import type { ProblemCode } from '../wire.ts'

const ANSWER_MS = 10_000

type Entered = { ok: true; sequence: number; isNew: boolean; snapshotRequired: boolean } | { ok: false; code: string }

/** Joins the room of a building, after the event that came last where there was one and it is still at hand. */
export async function enterRoom(socket: Socket, buildingId: string, after: number | undefined): Promise<Entered> {
  const ask = <T>(order: string, body: object): Promise<T> => socket.timeout(ANSWER_MS).emitWithAck(order, body)
  if (after !== undefined) {
    const resumed = await ask<ResumeAnswer>('resume', { buildingId, after })
    if (resumed.ok) return { ok: true, sequence: after, isNew: false, snapshotRequired: false }
    if (resumed.code !== 'SNAPSHOT_REQUIRED') return resumed
  }
  const joined = await ask<JoinAnswer>('join', { buildingId })
  if (!joined.ok) return joined
  return { ok: true, sequence: joined.sequence, isNew: true, snapshotRequired: after !== undefined }
}

const STATUSES: Record<string, number> = { UNAUTHENTICATED: 401, PERMISSION_DENIED: 403, NOT_FOUND: 404 }

/** The channel refuses by a code alone. */
export function refusal(code: string): StoreyError {
  return new StoreyError({
    type: 'about:blank',
    title: 'The live channel refused',
    status: STATUSES[code] ?? 503,
    detail: `The live channel refused: ${code}`,
    code: code as ProblemCode,
  })
}
