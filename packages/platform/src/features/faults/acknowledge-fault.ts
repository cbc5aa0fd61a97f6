import { type FaultRecord, problems } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { digestVersion, type Precondition } from '@storey/kit/http'
import { acknowledgeOpen, type FaultPlace, findFault, lockFault } from './faults.store.ts'

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
    const fault = await lockFault(tx, place)
    if (!fault) throw problems.notFound('fault')
    precondition.check(digestVersion(fault))
    if (fault.state === 'resolved') throw problems.conflict('state', 'The fault is already resolved')
    return (await acknowledgeOpen(tx, place, actor, clock.now())) ?? fault
  })
}
