import type { ChangeOp, ExternalId, GraphNode, NodeKind, NodeOf } from '@storey/contract'
import { type Cell, copyRows, identifier, type Queryable, Sql, sql, type Tx } from '@storey/kit/database'
import { noteChange } from '../change-feed/index.ts'
import { cellsOf, columnsOf, TABLES } from './kinds.ts'
import { isUuid } from './uuid.ts'

export type BuildingHead = { revision: number; lastCode: number; at: Date }

/** Locks the building for this transaction: writers of one building take turns. */
export async function lockBuilding(tx: Tx, buildingId: string): Promise<BuildingHead | undefined> {
  if (!isUuid(buildingId)) return undefined
  const known = await tx.row(sql`select 1 as known from buildings where id = ${buildingId} for update`)
  return known && (await readHead(tx, buildingId))
}

export async function readHead(db: Queryable, buildingId: string): Promise<BuildingHead | undefined> {
  if (!isUuid(buildingId)) return undefined
  return await db.row<BuildingHead>(sql`
    select b.revision, b.last_code as "lastCode", r.at
    from buildings b join revisions r on r.building_id = b.id and r.revision = b.revision where b.id = ${buildingId}`)
}

export type StoredNode = { id: string; kind: NodeKind; state: GraphNode }

export async function readNodes(db: Queryable, buildingId: string, ids: readonly string[]): Promise<StoredNode[]> {
  const known = ids.filter(isUuid)
  if (known.length === 0) return []
  return await db.rows<StoredNode>(
    sql`select id, kind, state from nodes where building_id = ${buildingId} and id = any(${known}::uuid[])`,
  )
}

/** Selects the states of these nodes. */
export const statesOf = (buildingId: string, ids: readonly string[]): Sql =>
  sql`select state from nodes where building_id = ${buildingId} and id = any(${ids.filter(isUuid)}::uuid[])`

/** The memory of a parsed node and of its JSON text in a response, for each byte of the stored JSON text. */
const BYTES_PER_JSON_BYTE = 2.5
/** The additional memory for each list in the JSON text. Each corner of a polygon is such a list. */
const BYTES_PER_LIST = 72

/** The memory that the nodes in the column `state` of a query will take when they are read. They are not read here. */
export async function measureStates(db: Queryable, states: Sql): Promise<number> {
  const row = await db.row<{ bytes: number; lists: number }>(sql`
    select coalesce(sum(octet_length(text)), 0) as bytes,
      coalesce(sum(octet_length(text) - octet_length(replace(text, '[', ''))), 0) as lists
    from (select state::text as text from (${states}) as selected) as texts`)
  return BYTES_PER_JSON_BYTE * row!.bytes + BYTES_PER_LIST * row!.lists
}

export type ExternalIdRow = ExternalId & { nodeId: string }

/** The nodes that have these external ids. */
export async function findByExternalIds(
  db: Queryable,
  buildingId: string,
  ids: readonly ExternalId[],
): Promise<ExternalIdRow[]> {
  if (ids.length === 0) return []
  return await db.rows<ExternalIdRow>(sql`
    select node_id as "nodeId", source_system as "sourceSystem", external_id as "externalId"
    from node_external_ids where building_id = ${buildingId}
      and (source_system, external_id) in (
        select * from unnest(${ids.map((i) => i.sourceSystem)}::text[], ${ids.map((i) => i.externalId)}::text[]))`)
}

export async function findByCodes(
  db: Queryable,
  buildingId: string,
  codes: readonly string[],
): Promise<{ id: string; code: string }[]> {
  if (codes.length === 0) return []
  return await db.rows<{ id: string; code: string }>(
    sql`select id, code from nodes where building_id = ${buildingId} and code = any(${codes}::text[])`,
  )
}

/** The nodes directly below these nodes. */
export async function findChildren(db: Queryable, ids: readonly string[]): Promise<{ id: string; parentId: string }[]> {
  if (ids.length === 0) return []
  return await db.rows<{ id: string; parentId: string }>(sql`
    select id, storey_id as "parentId" from spaces where storey_id = any(${ids}::uuid[])
    union all select id, space_id from elements where space_id = any(${ids}::uuid[])
    union all select id, storey_id from elements where storey_id = any(${ids}::uuid[])
    union all select id, element_id from points where element_id = any(${ids}::uuid[])`)
}

/** The elements that serve any of these nodes. */
export async function findFeeders(db: Queryable, buildingId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  // With a few ids, `?|` uses the index of the column. With many ids, it would compare each id with each element.
  const feeds =
    ids.length <= 10
      ? sql`serves ?| ${ids}::text[]`
      : sql`exists (select from jsonb_array_elements_text(serves) fed where fed = any(${ids}::text[]))`
  const rows = await db.rows<{ id: string }>(
    sql`select id from elements where building_id = ${buildingId} and serves <> '[]' and ${feeds}`,
  )
  return rows.map(({ id }) => id)
}

/**
 * PostgreSQL keeps the plans with which it checks foreign keys, and with which it deletes and updates the rows that
 * refer to a row. A plan from when the tables were small reads a whole table for each row, which takes a minute for
 * 100,000 rows. Without the plan PostgreSQL makes a new one.
 */
export async function discardPlans(tx: Tx): Promise<void> {
  await tx.run(sql`discard plans`)
}

/** Writes new nodes of one kind. Iterates over them three times, once for each table. */
export async function insertNodes<K extends NodeKind>(
  tx: Tx,
  buildingId: string,
  kind: K,
  nodes: Iterable<NodeOf[K]>,
): Promise<void> {
  await copyRows(tx, 'nodes', ['id', 'building_id', 'kind', 'code', 'state'], nodeRows(buildingId, kind, nodes))
  await insertExternalIds(tx, buildingId, nodes)
  await copyRows(tx, TABLES[kind], columnsOf(kind), rowsOfKind(buildingId, kind, nodes))
}

function* nodeRows(buildingId: string, kind: NodeKind, nodes: Iterable<GraphNode>): Generator<Cell[]> {
  for (const node of nodes) yield [node.id, buildingId, kind, node.code, JSON.stringify(node)]
}

function* rowsOfKind<K extends NodeKind>(buildingId: string, kind: K, nodes: Iterable<NodeOf[K]>): Generator<Cell[]> {
  for (const node of nodes) yield cellsOf(kind, node, buildingId)
}

async function insertExternalIds(tx: Tx, buildingId: string, nodes: Iterable<GraphNode>): Promise<void> {
  const columns = ['node_id', 'position', 'building_id', 'source_system', 'external_id']
  await copyRows(tx, 'node_external_ids', columns, externalIdRows(buildingId, nodes))
}

function* externalIdRows(buildingId: string, nodes: Iterable<GraphNode>): Generator<Cell[]> {
  for (const { id, externalIds } of nodes) {
    for (const [i, { sourceSystem, externalId }] of externalIds.entries()) {
      yield [id, i, buildingId, sourceSystem, externalId]
    }
  }
}

/** Gives restored points their former numbers. Their series are stored under these numbers. */
export async function restoreNumbers(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    with back as (delete from retired_points where id = any(${ids}::uuid[]) returning id, number)
    update points p set number = back.number from back where back.id = p.id`)
}

/** The most nodes, and the most characters of their texts, that one statement updates: the texts take memory. */
const UPDATED_AT_ONCE = { nodes: 2_000, characters: 4_000_000 }

type Update<K extends NodeKind> = { before: NodeOf[K]; after: NodeOf[K] }

export async function updateNodes<K extends NodeKind>(
  tx: Tx,
  buildingId: string,
  kind: K,
  changes: readonly Update<K>[],
): Promise<void> {
  for (const some of updatedTogether(changes)) await updateStates(tx, buildingId, kind, some)
  // An external id can move from one node to another, so all are deleted before any is inserted.
  const moved = changes.filter(
    ({ before, after }) => JSON.stringify(before.externalIds) !== JSON.stringify(after.externalIds),
  )
  if (moved.length === 0) return
  const ids = moved.map(({ after }) => after.id)
  await tx.run(sql`delete from node_external_ids where node_id = any(${ids}::uuid[])`)
  await insertExternalIds(
    tx,
    buildingId,
    moved.map(({ after }) => after),
  )
}

function* updatedTogether<K extends NodeKind>(changes: readonly Update<K>[]): Generator<Update<K>[]> {
  let some: Update<K>[] = []
  let characters = 0
  for (const change of changes) {
    some.push(change)
    characters += JSON.stringify(change.after).length
    if (some.length < UPDATED_AT_ONCE.nodes && characters < UPDATED_AT_ONCE.characters) continue
    yield some
    some = []
    characters = 0
  }
  if (some.length > 0) yield some
}

async function updateStates<K extends NodeKind>(
  tx: Tx,
  buildingId: string,
  kind: K,
  changes: readonly Update<K>[],
): Promise<void> {
  const nodes = changes.map(({ after }) => after)
  const states = JSON.stringify(nodes.map((state) => ({ id: state.id, code: state.code, state })))
  await tx.run(sql`
    update nodes n set code = r.code, state = r.state
    from json_to_recordset(${states}::json) as r (id uuid, code text, state json) where n.id = r.id`)
  const columns = columnsOf(kind)
  const rows = nodes.map((node) => {
    const cells = cellsOf(kind, node, buildingId)
    return Object.fromEntries(columns.map((column, i) => [column, cells[i]]))
  })
  const changed = columns.filter((column) => !['id', 'building_id', 'code'].includes(column)).map(identifier)
  const table = identifier(TABLES[kind])
  await tx.run(sql`
    update ${table} t set (${list(changed)}) = row(${list(changed.map((column) => sql`r.${column}`))})
    from json_populate_recordset(null::${table}, ${JSON.stringify(rows)}::json) r where t.id = r.id`)
}

const list = (parts: readonly Sql[]): Sql => new Sql(['', ...Array(parts.length - 1).fill(', '), ''], parts)

/** Deleting a node deletes its record and external ids; the number of a point is kept in case the point is restored. */
export async function deleteNodes(tx: Tx, kind: NodeKind, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  if (kind === 'point') {
    await tx.run(
      sql`insert into retired_points (id, number) select id, number from points where id = any(${ids}::uuid[])`,
    )
  }
  await tx.run(sql`delete from nodes where id = any(${ids}::uuid[])`)
}

export interface NodeChange {
  op: ChangeOp
  kind: NodeKind
  nodeId: string
  before: GraphNode | null
  after: GraphNode | null
}

export interface NewRevision {
  buildingId: string
  revision: number
  at: Date
  lastCode: number
  actor: string
  summary: string
  changesetId: string | null
}

/** Adds `more`, which can be negative, to the number of nodes of a kind. */
export async function countNodes(tx: Tx, buildingId: string, kind: NodeKind, more: number): Promise<void> {
  await tx.run(sql`
    insert into node_counts (building_id, kind, count) values (${buildingId}, ${kind}, ${more})
    on conflict (building_id, kind) do update set count = node_counts.count + excluded.count`)
}

/** Appends a revision to the change log and makes it the building's current one. */
export async function appendRevision(tx: Tx, made: NewRevision, changes: readonly NodeChange[]): Promise<void> {
  const { buildingId, revision, at, lastCode, actor, summary, changesetId } = made
  await tx.run(sql`
    insert into revisions (building_id, revision, at, actor, changeset_id, summary)
    values (${buildingId}, ${revision}, ${at}, ${actor}, ${changesetId}, ${summary})`)
  await copyRows(
    tx,
    'node_changes',
    ['building_id', 'revision', 'node_id', 'kind', 'before', 'after'],
    changeRows(made, changes),
  )
  await tx.run(sql`
    update buildings set revision = ${revision}, last_code = ${lastCode}, updated_at = ${at} where id = ${buildingId}`)
  noteChange(tx, buildingId, 'graph')
  // The layer values of a deleted space are deleted with it.
  if (changes.some(({ kind, after }) => kind === 'space' && after === null)) noteChange(tx, buildingId, 'layers')
}

function* changeRows({ buildingId, revision }: NewRevision, changes: readonly NodeChange[]): Generator<Cell[]> {
  for (const { nodeId, kind, before, after } of changes) {
    yield [buildingId, revision, nodeId, kind, text(before), text(after)]
  }
}

const text = (node: GraphNode | null) => (node === null ? null : JSON.stringify(node))
