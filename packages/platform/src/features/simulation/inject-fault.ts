import { randomUUID } from 'node:crypto'
import { checkQuota, type InjectedRecord, type Injection, problems, type SimulatedFault } from '@storey/contract'
import { isUuid } from '../../graph/index.ts'
import { type SimulationParts, toRecord } from './read-simulation.ts'
import { kindOfNode, listAffected } from './simulated-nodes.store.ts'
import { simulatedAt } from './simulated-time.ts'
import { deleteFaultsBefore, insertFault, listFaults, lockModel, lockSimulation } from './simulation.store.ts'

/** An ended fault is kept at least this long, because it still affects the simulated rooms for a while. */
const KEPT_AFTER_END_MS = 3 * 86_400_000

const SUITABLE_NODES: Record<SimulatedFault, string> = {
  'stuck-damper': 'the point with the position of a damper, or an element that has one, such as a VAV box',
  'drifting-sensor': 'a SENSOR point, or an element that has one',
  'silent-gateway': 'an element, a space or a storey with points below it',
}

/** Injects a fault that begins now into a simulated building. */
export async function injectFault(
  { db, clock }: SimulationParts,
  buildingId: string,
  { fault, nodeId: requestedId, minutes }: Injection,
): Promise<InjectedRecord> {
  if (!isUuid(buildingId)) throw problems.notFound('building')
  const nodeId = requestedId.toLowerCase()
  return db.transaction(async (tx) => {
    if ((await lockModel(tx, buildingId)) === undefined) throw problems.notFound('building')
    const stored = await lockSimulation(tx, buildingId)
    if (!stored?.state.running)
      throw problems.conflict('running', 'This building is not simulated: start the simulation first')
    if ((await kindOfNode(tx, buildingId, nodeId)) === undefined)
      throw problems.field('nodeId', 'nodeId is not a node of this building')
    if ((await listAffected(tx, buildingId, fault, nodeId)).length === 0)
      throw problems.field(
        'nodeId',
        `nodeId is not suitable for ${fault}: in the generated building, use ${SUITABLE_NODES[fault]}`,
      )
    const startMs = simulatedAt(stored.state, clock.now().getTime())
    checkQuota('simulatedFaults', (await listFaults(tx, buildingId, startMs)).length)
    const created = { id: randomUUID(), fault, nodeId, startMs, endMs: startMs + minutes * 60_000 }
    await deleteFaultsBefore(tx, buildingId, startMs - KEPT_AFTER_END_MS)
    await insertFault(tx, buildingId, created)
    return toRecord(created)
  })
}
