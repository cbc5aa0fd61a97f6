import type {
  ChangeOp,
  GraphNode,
  HistoryEntry,
  HistoryQuery,
  List,
  NodeKind,
  Page,
  RevisionRecord,
} from '@storey/contract'
import { and, type Queryable, type Sql, sql } from '@storey/kit/database'
import { type Admit, admitLarge } from '../../graph/index.ts'

type HistoryRow = Omit<HistoryEntry, 'at' | 'op'> & { at: Date }

/** Nodes are parsed, so they take more memory than their texts. */
const TIMES_IN_MEMORY = 6

/** The changes of nodes, newest first. A page with large nodes waits for memory. */
export async function listHistory(
  db: Queryable,
  buildingId: string,
  filter: Pick<HistoryQuery, 'nodeId' | 'kind' | 'changesetId'>,
  page: Page,
  admit: Admit,
): Promise<List<HistoryEntry>> {
  const where = matching(buildingId, filter)
  const states = sql`select state from (
      select c.before, c.after from node_changes c
      join revisions r on r.building_id = c.building_id and r.revision = c.revision
      where ${where} order by c.revision desc, c.node_id limit ${page.limit} offset ${page.offset}
    ) as changes cross join lateral (values (before), (after)) as versions (state) where state is not null`
  await admitLarge(db, { states, limit: page.limit, timesInMemory: TIMES_IN_MEMORY }, admit)
  const [rows, count] = await Promise.all([
    db.rows<HistoryRow>(sql`
      select c.revision, r.at, r.actor, r.summary, r.changeset_id as "changesetId", c.kind, c.node_id as "nodeId",
        c.before, c.after
      from node_changes c join revisions r on r.building_id = c.building_id and r.revision = c.revision
      where ${where} order by c.revision desc, c.node_id limit ${page.limit} offset ${page.offset}`),
    db.row<{ total: number }>(sql`
      select count(*) as total
      from node_changes c join revisions r on r.building_id = c.building_id and r.revision = c.revision
      where ${where}`),
  ])
  return { data: rows.map(toEntry), total: count!.total, ...page }
}

function matching(buildingId: string, { nodeId, kind, changesetId }: Partial<HistoryQuery>): Sql {
  const conditions = [sql`c.building_id = ${buildingId}`]
  if (nodeId !== undefined) conditions.push(sql`c.node_id = ${nodeId}`)
  if (kind !== undefined) conditions.push(sql`c.kind = ${kind}`)
  if (changesetId !== undefined) conditions.push(sql`r.changeset_id = ${changesetId}`)
  return and(conditions)
}

export const opOf = (before: unknown, after: unknown): ChangeOp =>
  before === null ? 'create' : after === null ? 'delete' : 'update'

function toEntry(row: HistoryRow): HistoryEntry {
  return { ...row, at: row.at.toISOString(), op: opOf(row.before, row.after) }
}

/** A node as the seeding created it; undefined if the seeding did not create it. */
export async function findSeeded(
  db: Queryable,
  buildingId: string,
  nodeId: string,
): Promise<{ kind: NodeKind; node: GraphNode } | undefined> {
  const first = await db.row<{ kind: NodeKind; node: GraphNode | null }>(sql`
    select kind, before as node from node_changes
    where building_id = ${buildingId} and node_id = ${nodeId} order by revision limit 1`)
  if (first) return first.node === null ? undefined : { kind: first.kind, node: first.node }
  return await db.row<{ kind: NodeKind; node: GraphNode }>(
    sql`select kind, state as node from nodes where building_id = ${buildingId} and id = ${nodeId}`,
  )
}

type RevisionRow = Omit<RevisionRecord, 'at'> & { at: Date }

export async function findRevision(db: Queryable, buildingId: string, revision: number): Promise<RevisionRecord> {
  const row = await db.row<RevisionRow>(selectRevisions(sql`building_id = ${buildingId} and revision = ${revision}`))
  return toRevision(row!)
}

/** The revisions of a building, newest first. */
export async function listRevisions(
  db: Queryable,
  buildingId: string,
  changesetId: string | undefined,
  page: Page,
): Promise<List<RevisionRecord>> {
  const conditions = [sql`building_id = ${buildingId}`]
  if (changesetId !== undefined) conditions.push(sql`changeset_id = ${changesetId}`)
  const where = and(conditions)
  const [rows, count] = await Promise.all([
    db.rows<RevisionRow>(sql`
      ${selectRevisions(where)} order by revision desc limit ${page.limit} offset ${page.offset}`),
    db.row<{ total: number }>(sql`select count(*) as total from revisions where ${where}`),
  ])
  return { data: rows.map(toRevision), total: count!.total, ...page }
}

function selectRevisions(where: Sql): Sql {
  return sql`
    select revision, at, actor, summary, changeset_id as "changesetId",
      (select count(*) from node_changes c where c.building_id = r.building_id and c.revision = r.revision) as changes
    from revisions r where ${where}`
}

function toRevision(row: RevisionRow): RevisionRecord {
  return { ...row, at: row.at.toISOString() }
}

export type DescribedBuilding = {
  id: string
  name: string
  buildingType: string
  address: string | null
  siteId: string
  siteName: string
}

export async function describeBuilding(db: Queryable, buildingId: string): Promise<DescribedBuilding> {
  const row = await db.row<DescribedBuilding>(sql`
    select b.id, b.name, b.building_type as "buildingType", b.address, s.id as "siteId", s.name as "siteName"
    from buildings b join sites s on s.id = b.site_id where b.id = ${buildingId}`)
  return row!
}
