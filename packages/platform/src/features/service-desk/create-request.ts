import { randomUUID } from 'node:crypto'
import { type NewRequest, problems, type RequestRecord } from '@storey/contract'
import { type Caller, checkReach } from '../../caller.ts'
import { buildingExists } from '../../graph/nodes.store.ts'
import { checkPlaces, lowerPlaces } from './check-places.ts'
import type { Desk } from './desk.ts'
import { toRecord } from './record.ts'
import { insertRequest } from './requests.store.ts'
import { firstDueAt } from './sla.ts'

export async function createRequest(desk: Desk, caller: Caller, body: NewRequest): Promise<RequestRecord> {
  const { title, description = null, category = 'other', priority = 'normal' } = body
  const buildingId = body.buildingId.toLowerCase()
  checkReach(caller, buildingId)
  if (!(await buildingExists(desk.db, buildingId))) {
    throw problems.field('buildingId', 'buildingId is no building of this sandbox')
  }
  const { spaceId = null, storeyId = null, elementId = null } = lowerPlaces(body)
  const places = { spaceId, storeyId, elementId }
  await checkPlaces(desk.db, buildingId, places)
  return desk.turn(async ({ tx, at, tell }) => {
    const row = await insertRequest(tx, {
      ...{ id: randomUUID(), buildingId, title, description, category, priority, state: 'new', ...places },
      ...{ assignedUserId: null, assignedTeamId: null, reporter: caller.actor, workOrderIds: [] },
      ...{ createdAt: at, updatedAt: at, dueAt: firstDueAt(priority, at) },
      ...{ restedAt: null, warned: false, breached: false },
    })
    tell('created', row)
    return toRecord(row, desk.clock.now())
  })
}
