import { IFC_SOURCE, type NodeKind, SIMULATION_SOURCE, type SimulatedFault } from '@storey/contract'
import { type Queryable, type Sql, sql } from '@storey/kit/database'

/**
 * Nodes with a GlobalId, which does not change with moves, renames and imports: the generated nodes that still exist,
 * and nodes of imported models, which the simulation ignores.
 */
type Known<T> = T & { globalId: string; id: string }

export const listPoints = (db: Queryable, buildingId: string) =>
  db.rows<Known<{ number: number }>>(sql`
    select x.external_id as "globalId", p.id, p.number from node_external_ids x join points p on p.id = x.node_id
    where x.building_id = ${buildingId} and x.source_system = ${IFC_SOURCE}`)

/**
 * Points whose last value a client has written: it is newer than the generated history, which ends when the building is
 * created, and is not from the simulation.
 */
export async function listClientPoints(db: Queryable, buildingId: string): Promise<number[]> {
  const rows = await db.rows<{ number: number }>(sql`
    select p.number from buildings b join points p on p.building_id = b.id join latest_values l on l.point = p.number
    where b.id = ${buildingId} and l.at > b.created_at and l.source is distinct from ${SIMULATION_SOURCE}`)
  return rows.map(({ number }) => number)
}

export const listRooms = (db: Queryable, buildingId: string) =>
  db.rows<Known<{ capacity: number | null }>>(sql`
    select x.external_id as "globalId", s.id, s.capacity from node_external_ids x join spaces s on s.id = x.node_id
    where x.building_id = ${buildingId} and x.source_system = ${IFC_SOURCE}`)

export async function kindOfNode(db: Queryable, buildingId: string, id: string): Promise<NodeKind | undefined> {
  const row = await db.row<{ kind: NodeKind }>(
    sql`select kind from nodes where building_id = ${buildingId} and id = ${id}`,
  )
  return row?.kind
}

export type AffectedPoint = { id: string; unit: string }

/** The simulated points that a fault of this node affects. */
export function listAffected(
  db: Queryable,
  buildingId: string,
  fault: SimulatedFault,
  nodeId: string,
): Promise<AffectedPoint[]> {
  return db.rows<AffectedPoint>(sql`
    select p.id, p.unit from points p join elements e on e.id = p.element_id left join spaces s on s.id = e.space_id
    where p.building_id = ${buildingId} and ${AFFECTED[fault](nodeId)} and exists (
      select from node_external_ids x where x.node_id = p.id and x.source_system = ${IFC_SOURCE})`)
}

const AFFECTED: Record<SimulatedFault, (nodeId: string) => Sql> = {
  'stuck-damper': (id) => sql`p.point_type = 'SENSOR' and p.code like '%.DPR' and (p.id = ${id} or e.id = ${id})`,
  'drifting-sensor': (id) => sql`p.point_type = 'SENSOR' and (p.id = ${id} or e.id = ${id})`,
  'silent-gateway': (id) => sql`${id}::uuid in (e.id, e.space_id, e.storey_id, s.storey_id)`,
}
