import type { GraphNode, NodeKind, SpaceNode, StoreyNode } from '@storey/contract'
import { batches, type Queryable, type Sql, sql, type Tx } from '@storey/kit/database'

export async function findStoreys(db: Queryable, buildingId: string): Promise<StoreyNode[]> {
  const rows = await db.rows<{ state: StoreyNode }>(
    sql`select state from nodes where building_id = ${buildingId} and kind = 'storey' order by code`,
  )
  return rows.map(({ state }) => state)
}

export const spacesOf = (storeyIds: readonly string[]): Sql => sql`
  select n.state from spaces s join nodes n on n.id = s.id where s.storey_id = any(${storeyIds}::uuid[]) order by s.code`

export async function findSpacesOf(db: Queryable, storeyIds: readonly string[]): Promise<SpaceNode[]> {
  const rows = await db.rows<{ state: SpaceNode }>(spacesOf(storeyIds))
  return rows.map(({ state }) => state)
}

export async function findLabels(db: Queryable, buildingId: string): Promise<Map<string, string>> {
  const rows = await db.rows<{ globalId: string; label: string }>(
    sql`select global_id as "globalId", label from model_labels where building_id = ${buildingId}`,
  )
  return new Map(rows.map(({ globalId, label }) => [globalId, label]))
}

export async function keepLabels(
  db: Queryable,
  buildingId: string,
  labels: readonly { globalId: string; name: string }[],
): Promise<void> {
  await db.run(sql`
    insert into model_labels (building_id, global_id, label)
    select ${buildingId}, * from unnest(${labels.map(({ globalId }) => globalId)}::text[],
      ${labels.map(({ name }) => name)}::text[])
    on conflict (building_id, global_id) do update set label = excluded.label where model_labels.label <> excluded.label`)
}

const BATCH = 2_000

export const nodesOf = (buildingId: string): Sql => sql`select kind, state from nodes where building_id = ${buildingId}`

/** Every node of a building, a batch at a time, so that other requests run in between. */
export function allNodes(tx: Tx, buildingId: string): AsyncGenerator<{ kind: NodeKind; state: GraphNode }[]> {
  return batches(tx, nodesOf(buildingId).toQuery(), BATCH)
}
