import { IFC_SOURCE } from '@storey/contract'
import { type Queryable, sql } from '@storey/kit/database'

export type RoomName = { id: string; externalId: string | null }

/**
 * The rooms of a building by each of their external ids (null for one without any). Where two rooms have one id, the
 * one of ifc comes first, then the one that was there first.
 */
export async function listRoomNames(db: Queryable, buildingId: string): Promise<RoomName[]> {
  return db.rows<RoomName>(sql`
    select s.id, e.external_id as "externalId" from spaces s left join node_external_ids e on e.node_id = s.id
    where s.building_id = ${buildingId}
    order by e.source_system <> ${IFC_SOURCE}, s.created_at, e.position, s.id`)
}
