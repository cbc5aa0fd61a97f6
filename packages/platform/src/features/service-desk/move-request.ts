import {
  problems,
  REQUEST_MOVES,
  type RequestRecord,
  type RequestState,
  type RequestTransition,
} from '@storey/contract'
import { instantVersion, type Precondition } from '@storey/kit/http'
import type { Caller } from '../../caller.ts'
import { writeComment } from './comment-request.ts'
import type { Desk } from './desk.ts'
import { readRow } from './read-request.ts'
import { toRecord } from './record.ts'
import { withState } from './sla.ts'
import { writeChange } from './write-change.ts'

/** Moves a request to another state, if `REQUEST_MOVES` allows this move. */
export async function moveRequest(
  desk: Desk,
  caller: Caller,
  id: string,
  { state, comment }: RequestTransition,
  precondition: Precondition,
): Promise<RequestRecord> {
  const row = await desk.transaction(async (transaction) => {
    const before = await readRow(transaction.tx, caller, id)
    precondition.check(instantVersion(before.updatedAt))
    const allowed: readonly RequestState[] = REQUEST_MOVES[before.state]
    if (!allowed.includes(state)) throw problems.moveNotAllowed(before.state, state, allowed)
    if (comment) await writeComment(transaction, caller, before.id, comment)
    return writeChange(transaction, before, (request) => withState(request, state, transaction.slaAt))
  })
  return toRecord(row, desk.clock.now())
}
