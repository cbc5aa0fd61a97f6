import type { NodeKind } from '@storey/contract'
import { batches, sql, type Tx } from '@storey/kit/database'

/**
 * Nodes per batch. Larger batches would need much memory, because the outline of a space has up to 110 KB, and the
 * Turtle output parses a whole batch at once.
 */
const BATCH = 200

/**
 * The nodes of one kind at a revision, as JSON texts, ordered by code. A node that was changed or deleted after the
 * revision has its state before the first of these changes, and a node that was created after the revision is left out.
 * All other nodes have their current state. A text has one node, or several separated by commas.
 */
export async function* nodesAt(
  tx: Tx,
  buildingId: string,
  revision: number,
  kind: NodeKind,
): AsyncGenerator<readonly string[]> {
  const changed = await changedSince(tx, buildingId, revision, kind)
  if (changed.length === 0) return yield* nodesNow(tx, buildingId, kind)
  const before = createBefore(tx, buildingId, changed)
  const same = sql`
    select code, state::text as text from nodes
    where building_id = ${buildingId} and kind = ${kind} and id <> all(${changed.map(({ id }) => id)}::uuid[])
    order by code`
  // The two lists are merged here: in one query the database would sort all nodes.
  for await (const batch of batches<NodeText>(tx, same.toQuery(), BATCH)) {
    let texts: string[] = []
    for (const { code, text } of batch) {
      for (let next = await before.next(code); next !== undefined; next = await before.next(code)) {
        texts.push(next)
        if (texts.length < BATCH) continue
        yield texts
        texts = []
      }
      texts.push(text)
    }
    yield texts
  }
  for (let next = await before.next(); next !== undefined; next = await before.next()) yield [next]
}

type NodeText = { code: string; text: string }

/** The database joins the texts, so that for 77,000 points this process reads 385 texts instead of 77,000. */
async function* nodesNow(tx: Tx, buildingId: string, kind: NodeKind): AsyncGenerator<readonly string[]> {
  for (let last = ''; ; ) {
    const batch = await tx.row<{ text: string | null; last: string; count: number }>(sql`
      select string_agg(text, ',') as text, max(code) as last, count(*) as count from (
        select code, state::text as text from nodes
        where building_id = ${buildingId} and kind = ${kind} and code > ${last} order by code limit ${BATCH}
      ) as batch`)
    if (batch!.text !== null) yield [batch!.text]
    if (batch!.count < BATCH) return
    last = batch!.last
  }
}

/**
 * A node that was changed after the requested revision. `first` is the revision of the first such change, or null if
 * the node did not exist at the requested revision.
 */
type ChangedNode = { id: string; code: string; first: number | null }

async function changedSince(tx: Tx, buildingId: string, revision: number, kind: NodeKind): Promise<ChangedNode[]> {
  return await tx.rows<ChangedNode>(sql`
    select id, before->>'code' as code, case when before is null then null else revision end as first from (
      select distinct on (node_id) node_id as id, before, revision from node_changes
      where building_id = ${buildingId} and revision > ${revision} and kind = ${kind}
      order by node_id, revision
    ) as first_later order by before->>'code' collate "C"`)
}

/** Reads the changed nodes as they were at the requested revision, ordered by code, in batches. */
function createBefore(tx: Tx, buildingId: string, changed: readonly ChangedNode[]) {
  const nodes = changed.filter(({ first }) => first !== null)
  let at = 0
  let texts: ReadonlyMap<string, string> = new Map()

  async function read(): Promise<ReadonlyMap<string, string>> {
    const some = nodes.slice(at, at + BATCH)
    const rows = await tx.rows<{ id: string; text: string }>(sql`
      select node_id as id, before::text as text from node_changes
      join unnest(${some.map(({ id }) => id)}::uuid[], ${some.map(({ first }) => first)}::bigint[]) as wanted (id, first)
        on node_id = wanted.id and revision = wanted.first
      where building_id = ${buildingId}`)
    return new Map(rows.map(({ id, text }) => [id, text]))
  }

  return {
    /** The next node if its code is before `code`, or if `code` is absent. Undefined if there is no such node. */
    async next(code?: string): Promise<string | undefined> {
      const node = nodes[at]
      if (node === undefined || (code !== undefined && node.code >= code)) return undefined
      if (at % BATCH === 0) texts = await read()
      at++
      return texts.get(node.id)!
    },
  }
}
