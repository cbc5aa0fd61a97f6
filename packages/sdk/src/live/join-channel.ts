import type { JoinAnswer, ResumeAnswer } from '@storey/contract'
import type { Socket } from 'socket.io-client'
import { StoreyError } from '../errors.ts'
import type { ProblemCode } from '../wire.ts'

const ANSWER_MS = 10_000

type Joined = { ok: true; sequence: number; isNew: boolean; snapshotRequired: boolean } | { ok: false; code: string }

/** Sends a command and waits for its answer. */
export const ask = <T>(socket: Socket, command: string, body: object): Promise<T> =>
  socket.timeout(ANSWER_MS).emitWithAck(command, body)

/** Joins the channel of a building; resumes after the last received event if the service still has it. */
export async function joinChannel(socket: Socket, buildingId: string, after: number | undefined): Promise<Joined> {
  if (after !== undefined) {
    const resumed = await ask<ResumeAnswer>(socket, 'resume', { buildingId, after })
    if (resumed.ok) return { ok: true, sequence: after, isNew: false, snapshotRequired: false }
    if (resumed.code !== 'SNAPSHOT_REQUIRED') return resumed
  }
  const joined = await ask<JoinAnswer>(socket, 'join', { buildingId })
  if (!joined.ok) return joined
  return { ok: true, sequence: joined.sequence, isNew: true, snapshotRequired: after !== undefined }
}

const STATUSES: Record<string, number> = { UNAUTHENTICATED: 401, PERMISSION_DENIED: 403, NOT_FOUND: 404 }

/** The channel refuses with a code only. */
export function refusal(code: string): StoreyError {
  return new StoreyError({
    type: 'about:blank',
    title: 'The live channel refused',
    status: STATUSES[code] ?? 503,
    detail: `The live channel refused: ${code}`,
    code: code as ProblemCode,
  })
}
