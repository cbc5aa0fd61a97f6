import { randomUUID } from 'node:crypto'
import { checkQuota, type NewRequest, problems, type RequestRecord } from '@storey/contract'
import { type Caller, checkScope } from '../../caller.ts'
import { buildingExists } from '../../graph/index.ts'
import { faultExists } from '../faults/index.ts'
import type { Desk } from './desk.ts'
import { toRecord } from './record.ts'
import { countRequests, insertRequest } from './requests.store.ts'
import { NO_PLACES, resolvePlaces } from './resolve-places.ts'
import { firstDueAt } from './sla.ts'

export async function createRequest(desk: Desk, caller: Caller, body: NewRequest): Promise<RequestRecord> {
  const { title, description = null, category = 'other', priority = 'normal' } = body
  const buildingId = body.buildingId.toLowerCase()
  checkScope(caller, buildingId)
  if (!(await buildingExists(desk.db, buildingId))) {
    throw problems.field('buildingId', 'buildingId is not a building of this sandbox')
  }
  const faultId = body.faultId?.toLowerCase() ?? null
  return desk.transaction(async ({ tx, at, slaAt, publish }) => {
    // The row of the desk's clock is locked. So an import that replaces nodes has either committed already, or waits
    // and then moves this request to the new nodes too (`movePlaces`).
    const places = await resolvePlaces(tx, buildingId, NO_PLACES, body)
    if (faultId !== null && !(await faultExists(tx, { buildingId, faultId }))) {
      throw problems.field('faultId', 'faultId is unknown: the building has no such fault')
    }
    checkQuota('serviceRequests', await countRequests(tx))
    const row = await insertRequest(tx, {
      ...{ id: randomUUID(), buildingId, title, description, category, priority, state: 'new', ...places, faultId },
      ...{ assignedUserId: null, assignedTeamId: null, reporter: caller.actor, workOrderIds: [] },
      ...{ createdAt: at, updatedAt: at, dueAt: firstDueAt(priority, slaAt) },
      ...{ pausedAt: null, warnedFor: null, breachedFor: null },
    })
    publish('created', row)
    return toRecord(row, desk.clock.now())
  })
}
