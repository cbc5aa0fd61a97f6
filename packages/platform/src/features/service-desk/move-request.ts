import {
  problems,
  REQUEST_MOVES,
  type RequestRecord,
  type RequestState,
  type RequestTransition,
} from '@storey/contract'
import { instantVersion, type Precondition } from '@storey/kit/http'
import type { Caller } from '../../caller.ts'
import { insertComment } from './comments.store.ts'
import type { Desk } from './desk.ts'
import { readRow } from './read-request.ts'
import { toRecord } from './record.ts'
import { withState } from './sla.ts'
import { writeChange } from './write-change.ts'

export async function moveRequest(
  desk: Desk,
  caller: Caller,
  id: string,
  { state, comment }: RequestTransition,
  precondition: Precondition,
): Promise<RequestRecord> {
  const row = await desk.turn(async (turn) => {
    const before = await readRow(turn.tx, caller, id)
    precondition.check(instantVersion(before.updatedAt))
    const allowed: readonly RequestState[] = REQUEST_MOVES[before.state]
    if (!allowed.includes(state)) throw problems.moveNotAllowed(before.state, state, allowed)
    if (comment) await insertComment(turn.tx, before.id, { text: comment, author: caller.actor, at: turn.at })
    return writeChange(turn, before, (request) => withState(request, state, turn.slaAt))
  })
  return toRecord(row, desk.clock.now())
}
