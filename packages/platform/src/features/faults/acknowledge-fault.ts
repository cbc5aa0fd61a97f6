import { type FaultRecord, problems } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { acknowledgeOpen, type FaultPlace, findFault } from './faults.store.ts'

export async function readFault(db: Database, place: FaultPlace): Promise<FaultRecord> {
  const fault = await findFault(db, place)
  if (!fault) throw problems.notFound('fault')
  return fault
}

/** Somebody has seen it. Whoever says so again changes nothing: the first one is kept. */
export async function acknowledgeFault(
  db: Database,
  clock: Clock,
  place: FaultPlace,
  actor: string,
): Promise<FaultRecord> {
  const fault = (await acknowledgeOpen(db, place, actor, clock.now())) ?? (await readFault(db, place))
  if (fault.state === 'resolved') throw problems.conflict('state', 'The fault is resolved: there is nothing to do')
  return fault
}
