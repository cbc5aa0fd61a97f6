import { IFC_SOURCE } from '@storey/contract'
import { type Queryable, sql } from '@storey/kit/database'

export type RoomIdentifier = { id: string; externalId: string | null }

/**
 * The spaces of a building with each of their external ids (null for a space without one). If two spaces have the same
 * external id, the space that has it from the source system `ifc` comes first, then the oldest space.
 */
export async function listRoomIdentifiers(db: Queryable, buildingId: string): Promise<RoomIdentifier[]> {
  return db.rows<RoomIdentifier>(sql`
    select s.id, e.external_id as "externalId" from spaces s left join node_external_ids e on e.node_id = s.id
    where s.building_id = ${buildingId}
    order by e.source_system <> ${IFC_SOURCE}, s.created_at, e.position, s.id`)
}
