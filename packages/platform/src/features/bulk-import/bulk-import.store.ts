import { IFC_SOURCE, type NodeKind } from '@storey/contract'
import { type Queryable, type Sql, sql } from '@storey/kit/database'

interface Wanted {
  buildingId: string
  kind: NodeKind
  /** The source system of the import. */
  sourceSystem: string
}

/**
 * Finds a node for each external id: the node that has it under the source system of the import, else under `ifc`, else
 * the oldest node that has it under any source system.
 */
export async function resolveExternalIds(
  db: Queryable,
  wanted: Wanted,
  externalIds: Iterable<string>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  let left = [...externalIds]
  // Each step searches only the external ids that the steps before it did not find.
  const steps = [sql`and e.source_system = ${wanted.sourceSystem}`, sql`and e.source_system = ${IFC_SOURCE}`, sql``]
  for (const step of steps) {
    if (left.length === 0) break
    for (const { externalId, nodeId } of await oldestWith(db, wanted, left, step)) found.set(externalId, nodeId)
    left = left.filter((externalId) => !found.has(externalId))
  }
  return found
}

function oldestWith(db: Queryable, { buildingId, kind }: Wanted, externalIds: readonly string[], condition: Sql) {
  return db.rows<{ externalId: string; nodeId: string }>(sql`
    select distinct on (e.external_id) e.external_id as "externalId", e.node_id as "nodeId"
    from node_external_ids e join nodes n on n.id = e.node_id
    where e.building_id = ${buildingId} and e.external_id = any(${externalIds}::text[]) and n.kind = ${kind} ${condition}
    order by e.external_id, n.state->>'createdAt' collate "C", e.position, e.node_id`)
}
