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
  const row = await desk.transaction(async (transaction) => {
    const before = await readRow(transaction.tx, caller, id)
    precondition.check(instantVersion(before.updatedAt))
    const { spaceId, storeyId, elementId } = before
    const places = await resolvePlaces(transaction.tx, before.buildingId, { spaceId, storeyId, elementId }, patch)
    return writeChange(transaction, before, (request) => patched(request, { ...patch, ...places }, transaction.slaAt))
  })
  return toRecord(row, desk.clock.now())
}

function patched(row: RequestRow, patch: RequestPatch, at: Date): RequestRow {
  const { priority = row.priority, ...others } = patch
  const changed = { ...row, ...others }
  const reprioritized = priority === row.priority ? changed : withPriority(changed, priority)
  // An assigned request is no longer new.
  const isAssigned = Boolean(patch.assignedUserId ?? patch.assignedTeamId)
  return row.state === 'new' && isAssigned ? withState(reprioritized, 'assigned', at) : reprioritized
}
