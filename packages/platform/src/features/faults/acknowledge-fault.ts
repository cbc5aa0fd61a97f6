import { type FaultRecord, type FieldError, problems } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { digestVersion, type Precondition } from '@storey/kit/http'
import { buildingExists, isUuid } from '../../graph/index.ts'
import { acknowledgeOpen, type FaultPlace, findFault, lockFaults } from './faults.store.ts'

export async function readFault(db: Database, place: FaultPlace): Promise<FaultRecord> {
  const fault = await findFault(db, place)
  if (!fault) throw problems.notFound('fault')
  return fault
}

/** Acknowledges a fault. A repeated call changes nothing: the first acknowledgement is kept. */
export async function acknowledgeFault(
  db: Database,
  clock: Clock,
  place: FaultPlace,
  actor: string,
  precondition: Precondition,
): Promise<FaultRecord> {
  return await db.transaction(async (tx) => {
    const [fault] = await lockFaults(tx, place.buildingId, [place.faultId])
    if (!fault) throw problems.notFound('fault')
    precondition.check(digestVersion(fault))
    if (fault.state === 'resolved') throw problems.conflict('state', 'The fault is already resolved')
    const [acknowledged] = await acknowledgeOpen(tx, place.buildingId, [place.faultId], actor, clock.now())
    return acknowledged ?? fault
  })
}

/**
 * Acknowledges several faults in one transaction. Faults that are acknowledged or resolved stay as they are, and cause
 * no error, because they may have changed since the caller read them. If an id is unknown, no fault is acknowledged.
 */
export async function acknowledgeFaults(
  db: Database,
  clock: Clock,
  buildingId: string,
  faultIds: readonly string[],
  actor: string,
): Promise<FaultRecord[]> {
  return await db.transaction(async (tx) => {
    const faults = new Map((await lockFaults(tx, buildingId, faultIds)).map((fault) => [fault.id, fault]))
    if (faults.size === 0 && !(isUuid(buildingId) && (await buildingExists(tx, buildingId)))) {
      throw problems.notFound('building')
    }
    const ids = faultIds.map((id) => id.toLowerCase())
    const errors = ids.flatMap((id, n): FieldError[] =>
      faults.has(id)
        ? []
        : [{ pointer: `/faultIds/${n}`, in: 'body', detail: 'no fault of this building has this id' }],
    )
    if (errors.length > 0) throw problems.validation(errors)
    for (const fault of await acknowledgeOpen(tx, buildingId, faultIds, actor, clock.now())) faults.set(fault.id, fault)
    return [...new Set(ids)].map((id) => faults.get(id)!)
  })
}
