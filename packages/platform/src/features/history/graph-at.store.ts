import type { NodeKind } from '@storey/contract'
import { batches, sql, type Tx } from '@storey/kit/database'

const BATCH = 2_000

type NodeText = { id: string; code: string; text: string }

/**
 * The nodes of one kind at a revision, as the text of their JSON, in the order of their codes: those of today, where
 * each that changed since is as it was before its first later change. 77,000 points take 0.2 s.
 */
export async function* nodesAt(
  tx: Tx,
  buildingId: string,
  revision: number,
  kind: NodeKind,
): AsyncGenerator<readonly string[]> {
  const changed = await changedSince(tx, buildingId, revision, kind)
  const ids = new Set(changed.map(({ id }) => id))
  const before = changed.filter((node): node is NodeText => node.text !== null)
  let next = 0
  const present = sql`
    select id, code, state::text as text from nodes where building_id = ${buildingId} and kind = ${kind} order by code`
  for await (const batch of batches<NodeText>(tx, present.toQuery(), BATCH)) {
    const texts: string[] = []
    for (const { id, code, text } of batch) {
      while (next < before.length && before[next]!.code < code) texts.push(before[next++]!.text)
      if (!ids.has(id)) texts.push(text)
    }
    yield texts
  }
  yield before.slice(next).map(({ text }) => text)
}

type ChangedNode = { id: string; code: string; text: string | null }

async function changedSince(tx: Tx, buildingId: string, revision: number, kind: NodeKind): Promise<ChangedNode[]> {
  return await tx.rows<ChangedNode>(sql`
    select id, before->>'code' as code, before::text as text from (
      select distinct on (node_id) node_id as id, before from node_changes
      where building_id = ${buildingId} and revision > ${revision} and kind = ${kind}
      order by node_id, revision
    ) as first_later order by code`)
}

type ChangeText = { nodeId: string; kind: NodeKind; before: string | null; after: string | null }

/** What became of each node between two revisions, the earlier first; nodes that are again as they were fall out. */
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
