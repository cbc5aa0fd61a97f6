import { problems } from '@storey/contract'
import { isUuid } from '../../graph/index.ts'
import type { SimulationParts } from './read-simulation.ts'
import { simulatedAt } from './simulated-time.ts'
import { endFault, lockModel, lockSimulation } from './simulation.store.ts'

/** Ends an injected fault early. A fault that has ended does not change. */
export async function endInjectedFault(
  { db, clock }: SimulationParts,
  buildingId: string,
  injectionId: string,
): Promise<void> {
  if (!isUuid(buildingId)) throw problems.notFound('building')
  if (!isUuid(injectionId)) throw problems.notFound('injected fault')
  await db.transaction(async (tx) => {
    if ((await lockModel(tx, buildingId)) === undefined) throw problems.notFound('building')
    const stored = await lockSimulation(tx, buildingId)
    if (stored === undefined) throw problems.notFound('injected fault')
    const nowMs = simulatedAt(stored.state, clock.now().getTime())
    if (!(await endFault(tx, buildingId, injectionId, nowMs))) throw problems.notFound('injected fault')
  })
}
