import type { NodeKind } from '@storey/contract'
import { type Queryable, sql } from '@storey/kit/database'

export type PlaceNode = {
  kind: NodeKind
  /** The storey of a space or of an element. Null for an element without a location, and for nodes of other kinds. */
  storeyId: string | null
}

/** The nodes with these ids, by id. Nodes of other buildings are left out. */
export async function findPlaces(
  db: Queryable,
  buildingId: string,
  ids: readonly string[],
): Promise<Map<string, PlaceNode>> {
  if (ids.length === 0) return new Map()
  const rows = await db.rows<PlaceNode & { id: string }>(sql`
    select n.id, n.kind, coalesce(s.storey_id, e.storey_id, r.storey_id) as "storeyId" from nodes n
      left join spaces s on s.id = n.id
      left join elements e on e.id = n.id
      left join spaces r on r.id = e.space_id
    where n.building_id = ${buildingId} and n.id = any(${ids}::uuid[])`)
  return new Map(rows.map(({ id, ...place }) => [id, place]))
}
