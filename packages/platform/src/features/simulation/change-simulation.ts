import { problems, type SimulationCommand } from '@storey/contract'
import type { Precondition } from '@storey/kit/http'
import { isUuid } from '../../graph/index.ts'
import { readSimulationRecord, type SimulationParts, versionIn } from './read-simulation.ts'
import { afterCommand } from './simulated-time.ts'
import { lockModel, lockSimulation, writeState } from './simulation.store.ts'

/** Starts, stops or changes the speed of the simulation. A command that matches the current state changes nothing. */
export async function changeSimulation(
  parts: SimulationParts,
  buildingId: string,
  command: SimulationCommand,
  precondition: Precondition,
) {
  if (!isUuid(buildingId)) throw problems.notFound('building')
  await parts.db.transaction(async (tx) => {
    const model = await lockModel(tx, buildingId)
    if (model === undefined) throw problems.notFound('building')
    if (model === null) {
      const detail =
        'This building cannot be simulated: it was not generated, or by a version of this service without a simulator'
      throw problems.conflict('buildingId', detail)
    }
    const stored = await lockSimulation(tx, buildingId)
    precondition.check(versionIn(stored))
    const before = stored?.state
    const after = afterCommand(before, command, parts.clock.now().getTime())
    if (after !== before) await writeState(tx, buildingId, after)
  })
  return readSimulationRecord(parts, buildingId)
}
