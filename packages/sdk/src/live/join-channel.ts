import type { JoinAnswer, ResumeAnswer } from '@storey/contract'
import type { Socket } from 'socket.io-client'
import { StoreyError } from '../errors.ts'
import type { ProblemCode } from '../wire.ts'

const REPLY_TIMEOUT_MS = 10_000

type Joined = { ok: true; sequence: number; isNew: boolean; snapshotRequired: boolean } | { ok: false; code: string }

/** Sends a command and waits for its acknowledgement. */
export const sendCommand = <T>(socket: Socket, command: string, body: object): Promise<T> =>
  socket.timeout(REPLY_TIMEOUT_MS).emitWithAck(command, body)

/** Joins the channel of a building. Resumes after the event `after` if the service still has all later events. */
export async function joinChannel(socket: Socket, buildingId: string, after: number | undefined): Promise<Joined> {
  if (after !== undefined) {
    const resumed = await sendCommand<ResumeAnswer>(socket, 'resume', { buildingId, after })
    if (resumed.ok) return { ok: true, sequence: after, isNew: false, snapshotRequired: false }
    if (resumed.code !== 'SNAPSHOT_REQUIRED') return resumed
  }
  const joined = await sendCommand<JoinAnswer>(socket, 'join', { buildingId })
  if (!joined.ok) return joined
  return { ok: true, sequence: joined.sequence, isNew: true, snapshotRequired: after !== undefined }
}

const STATUSES: Record<string, number> = { UNAUTHENTICATED: 401, PERMISSION_DENIED: 403, NOT_FOUND: 404 }

/** The error for a refusal by the live channel. The channel sends only a code. */
export function refusal(code: string): StoreyError {
  return new StoreyError({
    type: 'about:blank',
    title: 'Refused by the live channel',
    status: STATUSES[code] ?? 503,
    detail: `The live channel refused the request: ${code}`,
    code: code as ProblemCode,
  })
}
