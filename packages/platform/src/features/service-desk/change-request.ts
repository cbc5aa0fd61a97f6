import type { RequestPatch, RequestRecord } from '@storey/contract'
import { instantVersion, type Precondition } from '@storey/kit/http'
import type { Caller } from '../../caller.ts'
import type { Desk } from './desk.ts'
import { readRow } from './read-request.ts'
import { toRecord } from './record.ts'
import type { RequestRow } from './requests.store.ts'
import { resolvePlaces } from './resolve-places.ts'
import { withPriority, withState } from './sla.ts'
import { writeChange } from './write-change.ts'

export async function changeRequest(
  desk: Desk,
  caller: Caller,
  id: string,
  patch: RequestPatch,
  precondition: Precondition,
): Promise<RequestRecord> {
  const row = await desk.turn(async (turn) => {
    const before = await readRow(turn.tx, caller, id)
    precondition.check(instantVersion(before.updatedAt))
    const { spaceId, storeyId, elementId } = before
    const places = await resolvePlaces(turn.tx, before.buildingId, { spaceId, storeyId, elementId }, patch)
    return writeChange(turn, before, (request) => patched(request, { ...patch, ...places }, turn.slaAt))
  })
  return toRecord(row, desk.clock.now())
}

function patched(row: RequestRow, patch: RequestPatch, at: Date): RequestRow {
  const { priority = row.priority, ...others } = patch
  const changed = { ...row, ...others }
  const repriced = priority === row.priority ? changed : withPriority(changed, priority)
  // An assigned request is no longer new.
  const isTaken = Boolean(patch.assignedUserId ?? patch.assignedTeamId)
  return row.state === 'new' && isTaken ? withState(repriced, 'assigned', at) : repriced
}
