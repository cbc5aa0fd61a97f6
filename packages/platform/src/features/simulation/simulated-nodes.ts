import type { Database } from '@storey/kit/database'
import type { PointFault } from './apply-faults.ts'
import type { PointNumbers } from './client-points.ts'
import type { Outline, StuckDamper } from './messages.ts'
import { listAffected, listClientPoints, listPoints, listRooms } from './simulated-nodes.store.ts'
import type { StoredFault } from './simulation.store.ts'

export interface SimulatedRoom {
  id: string
  capacity: number | null
}

/**
 * The generated nodes that still exist. `pointIds`, `numbers` and `rooms` are indexed by the number of the point or
 * room in the model (`Outline`).
 */
export interface SimulatedNodes {
  revision: number
  pointIds: (string | undefined)[]
  /** The numbers that the points have in the database. */
  numbers: (number | undefined)[]
  /** The database numbers of the points whose last value, when the nodes were read, was from a client. */
  clientPoints: ReadonlySet<number>
  rooms: (SimulatedRoom | undefined)[]
}

export async function readSimulatedNodes(
  db: Database,
  buildingId: string,
  outline: Outline,
  revision: number,
): Promise<SimulatedNodes> {
  const [points, spaces, clientPoints] = await Promise.all([
    listPoints(db, buildingId),
    listRooms(db, buildingId),
    listClientPoints(db, buildingId),
  ])
  const pointOf = new Map(points.map((point) => [point.globalId, point]))
  const roomOf = new Map(spaces.map(({ globalId, id, capacity }) => [globalId, { id, capacity }]))
  return {
    revision,
    pointIds: outline.points.map((globalId) => pointOf.get(globalId)?.id),
    numbers: outline.points.map((globalId) => pointOf.get(globalId)?.number),
    clientPoints: new Set(clientPoints),
    rooms: outline.rooms.map(({ globalId }) => roomOf.get(globalId)),
  }
}

/** The points that no client has written to. */
export function untouchedPoints(nodes: SimulatedNodes, written: PointNumbers): SimulatedNodes['pointIds'] {
  const { pointIds, numbers, clientPoints } = nodes
  if (clientPoints.size + written.size === 0) return pointIds
  return pointIds.map((id, i) => (clientPoints.has(numbers[i]!) || written.has(numbers[i]!) ? undefined : id))
}

/** The effects of injected faults. Points are identified by their numbers in the model. */
export interface FaultEffects {
  faults: Map<number, PointFault[]>
  stuck: StuckDamper[]
}

/** A fault affects the points that are currently below its node: a node that was moved away recovers. */
export async function readFaultEffects(
  db: Database,
  buildingId: string,
  stored: readonly StoredFault[],
  { pointIds }: SimulatedNodes,
): Promise<FaultEffects> {
  const effects: FaultEffects = { faults: new Map(), stuck: [] }
  if (stored.length === 0) return effects
  const numberOf = new Map(pointIds.map((id, number) => [id, number]))
  for (const { id: faultId, fault, nodeId, startMs, endMs } of stored) {
    for (const { id: pointId, unit } of await listAffected(db, buildingId, fault, nodeId)) {
      const point = numberOf.get(pointId)
      if (point === undefined) continue
      const id = `${faultId}/${point}`
      effects.faults.set(point, [...(effects.faults.get(point) ?? []), { id, fault, startMs, endMs, unit }])
      if (fault === 'stuck-damper') effects.stuck.push({ faultId: id, point, startMs, endMs })
    }
  }
  return effects
}
