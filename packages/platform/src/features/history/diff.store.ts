import type { NodeKind } from '@storey/contract'
import { batches, sql, type Tx } from '@storey/kit/database'

/**
 * Nodes per batch. A node is read in two states, before and after its changes. A state with an outline of 2,000 corners
 * has up to 110 KB.
 */
const BATCH = 200

type ChangeText = { nodeId: string; kind: NodeKind; before: string | null; after: string | null }

/** The nodes that differ between two revisions, of which `from` is the earlier one. */
export async function* changesBetween(
  tx: Tx,
  buildingId: string,
  from: number,
  to: number,
): AsyncGenerator<readonly ChangeText[]> {
  const statement = sql`
    select t.node_id as "nodeId", t.kind, f.before::text as before, l.after::text as after
    from (
      select node_id, kind, min(revision) as first, max(revision) as last from node_changes
      where building_id = ${buildingId} and revision > ${from} and revision <= ${to} group by node_id, kind
    ) as t
    join node_changes f on f.building_id = ${buildingId} and f.revision = t.first and f.node_id = t.node_id
    join node_changes l on l.building_id = ${buildingId} and l.revision = t.last and l.node_id = t.node_id
    where f.before::jsonb is distinct from l.after::jsonb
    order by t.node_id`
  yield* batches<ChangeText>(tx, statement.toQuery(), BATCH)
}
