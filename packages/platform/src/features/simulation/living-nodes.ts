import type { Database } from '@storey/kit/database'
import type { PointFault } from './apply-faults.ts'
import type { Outline, StuckOrder } from './messages.ts'
import { listPoints, listRooms, listStruck } from './simulated-nodes.store.ts'
import type { StoredFault } from './simulation.store.ts'

export interface LivingRoom {
  id: string
  capacity: number | null
}

/** What there still is of the building that was drawn, by the numbers of the model. */
export interface LivingNodes {
  revision: number
  pointIds: (string | undefined)[]
  rooms: (LivingRoom | undefined)[]
}

export async function readLivingNodes(
  db: Database,
  buildingId: string,
  outline: Outline,
  revision: number,
): Promise<LivingNodes> {
  const [points, spaces] = await Promise.all([listPoints(db, buildingId), listRooms(db, buildingId)])
  const idOf = new Map(points.map(({ globalId, id }) => [globalId, id]))
  const roomOf = new Map(spaces.map(({ globalId, id, capacity }) => [globalId, { id, capacity }]))
  return {
    revision,
    pointIds: outline.points.map((globalId) => idOf.get(globalId)),
    rooms: outline.rooms.map(({ globalId }) => roomOf.get(globalId)),
  }
}

/** What injected faults do, by the numbers of the model. */
export interface Damage {
  faults: Map<number, PointFault[]>
  stuck: StuckOrder[]
}

/** A fault befalls what stands below its node now: what was moved away is well again. */
export async function readDamage(
  db: Database,
  buildingId: string,
  stored: readonly StoredFault[],
  { pointIds }: LivingNodes,
): Promise<Damage> {
  const damage: Damage = { faults: new Map(), stuck: [] }
  if (stored.length === 0) return damage
  const numberOf = new Map(pointIds.map((id, number) => [id, number]))
  for (const { id: faultId, fault, nodeId, startMs, endMs } of stored) {
    for (const { id: pointId, unit } of await listStruck(db, buildingId, fault, nodeId)) {
      const point = numberOf.get(pointId)
      if (point === undefined) continue
      const id = `${faultId}/${point}`
      damage.faults.set(point, [...(damage.faults.get(point) ?? []), { id, fault, startMs, endMs, unit }])
      if (fault === 'stuck-damper') damage.stuck.push({ faultId: id, point, startMs, endMs })
    }
  }
  return damage
}
