import type { NodeKind } from '@storey/contract'
import { type Queryable, sql } from '@storey/kit/database'

/** The kinds of those ids that are nodes of the building. */
export async function findKinds(
  db: Queryable,
  buildingId: string,
  ids: readonly string[],
): Promise<Map<string, NodeKind>> {
  if (ids.length === 0) return new Map()
  const rows = await db.rows<{ id: string; kind: NodeKind }>(sql`
    select id, kind from nodes where building_id = ${buildingId} and id = any(${ids}::uuid[])`)
  return new Map(rows.map(({ id, kind }) => [id, kind]))
}
