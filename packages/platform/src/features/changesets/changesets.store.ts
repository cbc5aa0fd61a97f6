import {
  type ChangesetAction,
  type ChangesetListQuery,
  type ChangesetRecord,
  type ChangesetState,
  type ChangesetSummary,
  type GraphNode,
  type List,
  type NodeKind,
  type Page,
  QUOTAS,
  type StoredOperation,
} from '@storey/contract'
import { and, countLocked, type Queryable, type Sql, sql, type Tx } from '@storey/kit/database'
import { digestVersion } from '@storey/kit/http'
import { noteChange } from '../../change-feed/index.ts'
import { hasId, type NodeChange } from '../../graph/index.ts'

export interface ChangesetAddress {
  buildingId: string
  id: string
}

/** The fields of a changeset that the rules of its steps need. */
export type Changeset = {
  id: string
  title: string
  state: ChangesetState
  operations: StoredOperation[]
  writers: string[]
  baseRevision: number
  appliedRevision: number | null
}

const changesetAt = ({ buildingId, id }: ChangesetAddress) => sql`
  select id, title, state, operations, writers, base_revision as "baseRevision",
    applied_revision as "appliedRevision"
  from changesets where ${hasId(buildingId, id)}`

export async function readChangeset(db: Queryable, address: ChangesetAddress): Promise<Changeset | undefined> {
  return await db.row<Changeset>(changesetAt(address))
}

/** Locks the changeset: the second of two concurrent steps sees the state after the first. */
export async function lockChangeset(tx: Tx, address: ChangesetAddress): Promise<Changeset | undefined> {
  return await tx.row<Changeset>(sql`${changesetAt(address)} for update`)
}

export interface NewDraft {
  id: string
  buildingId: string
  title: string
  description: string | null
  operations: readonly StoredOperation[]
  author: string
  writer: string
  baseRevision: number
  at: Date
}

export async function insertChangeset(tx: Tx, draft: NewDraft): Promise<void> {
  const { id, buildingId, title, description, operations, author, writer, baseRevision, at } = draft
  await tx.run(sql`
    insert into changesets (id, building_id, title, description, state, operations, operation_count, author,
      writers, base_revision, created_at, updated_at)
    values (${id}, ${buildingId}, ${title}, ${description}, 'draft', ${JSON.stringify(operations)},
      ${operations.length}, ${author}, ${[writer]}, ${baseRevision}, ${at}, ${at})`)
}

/** Counts drafts, submitted and approved changesets, up to the quota, under a lock of the building's changesets. */
export async function countOpenChangesets(tx: Tx, buildingId: string): Promise<number> {
  const rows = sql`changesets where building_id = ${buildingId} and state in ('draft', 'submitted', 'approved')`
  return await countLocked(tx, `changesets ${buildingId}`, rows, QUOTAS.openChangesets.limit)
}

export const versionAfter = (id: string, steps: number): string => digestVersion(id, steps)

/**
 * Counts the steps of a changeset. The count stays right only while the changeset is locked. The statement that takes
 * the lock cannot count the steps: if it waits for the lock, it counts the rows from before the wait.
 */
export async function countSteps(tx: Queryable, id: string): Promise<number> {
  const row = await tx.row<{ count: number }>(
    sql`select count(*) as count from changeset_steps where changeset_id = ${id}`,
  )
  return row!.count
}

export interface DraftChange {
  title?: string | undefined
  description?: string | null | undefined
  written?: { operations: readonly StoredOperation[]; baseRevision: number; writer: string } | undefined
}

export async function updateDraft(tx: Tx, id: string, change: DraftChange): Promise<void> {
  const { title, description, written } = change
  if (title !== undefined) await tx.run(sql`update changesets set title = ${title} where id = ${id}`)
  if (description !== undefined) {
    await tx.run(sql`update changesets set description = ${description} where id = ${id}`)
  }
  if (written !== undefined) {
    const { operations, baseRevision, writer } = written
    await tx.run(sql`
      update changesets set operations = ${JSON.stringify(operations)}, operation_count = ${operations.length},
        base_revision = ${baseRevision}, writers = array_append(array_remove(writers, ${writer}), ${writer})
      where id = ${id}`)
  }
}

export interface Step {
  action: ChangesetAction
  /** The state after the step. */
  state: ChangesetState
  at: Date
  actor: string
  comment?: string | null | undefined
  revision?: number | null | undefined
}

/** Sets the state of a changeset and appends the step to its history (`trail`). The caller has locked the changeset. */
export async function writeStep(tx: Tx, id: string, step: Step): Promise<void> {
  const { action, state, at, actor, comment = null, revision = null } = step
  const isReview = action === 'approve' || action === 'reject'
  const changeset = await tx.row<{ buildingId: string }>(sql`
    update changesets set state = ${state}, updated_at = greatest(updated_at, ${at}),
      reviewer = case when ${isReview} then ${actor} else reviewer end,
      applied_revision = case when ${action === 'apply'} then ${revision} else applied_revision end,
      reverted_revision = case when ${action === 'revert'} then ${revision} else reverted_revision end
    where id = ${id} returning building_id as "buildingId"`)
  noteChange(tx, changeset!.buildingId, 'changesets')
  await tx.run(sql`
    insert into changeset_steps (changeset_id, position, at, actor, action, comment, revision)
    select ${id}, count(*), ${at}, ${actor}, ${action}, ${comment}, ${revision}
    from changeset_steps where changeset_id = ${id}`)
}

type SummaryRow = Omit<ChangesetSummary, 'createdAt' | 'updatedAt'> & { createdAt: Date; updatedAt: Date }

const SUMMARY = sql`
  id, title, description, state, author, reviewer, operation_count as "operationCount",
  base_revision as "baseRevision", applied_revision as "appliedRevision", reverted_revision as "revertedRevision",
  created_at as "createdAt", updated_at as "updatedAt"`

const withTimes = <T extends SummaryRow>(row: T) => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

/** Newest first. */
export async function listChangesets(
  db: Queryable,
  buildingId: string,
  { state }: ChangesetListQuery,
  page: Page,
): Promise<List<ChangesetSummary>> {
  const where = and([sql`building_id = ${buildingId}`, ...(state === undefined ? [] : [sql`state = ${state}`])])
  const [rows, count] = await Promise.all([
    db.rows<SummaryRow>(sql`
      select ${SUMMARY} from changesets where ${where}
      order by created_at desc, id limit ${page.limit} offset ${page.offset}`),
    db.row<{ total: number }>(sql`select count(*) as total from changesets where ${where}`),
  ])
  return { data: rows.map(withTimes), total: count!.total, ...page }
}

type RecordRow = SummaryRow & Pick<ChangesetRecord, 'operations' | 'trail'>

export async function findChangeset(db: Queryable, address: ChangesetAddress): Promise<ChangesetRecord | undefined> {
  const trail: Sql = sql`
    select json_agg(json_build_object('at', s.at, 'actor', s.actor, 'action', s.action, 'comment', s.comment,
      'revision', s.revision) order by s.position) from changeset_steps s where s.changeset_id = changesets.id`
  const row = await db.row<RecordRow>(sql`
    select ${SUMMARY}, operations, (${trail}) as trail from changesets
    where ${hasId(address.buildingId, address.id)}`)
  if (!row) return undefined
  const trailWithTimes = row.trail.map((step) => ({ ...step, at: new Date(step.at).toISOString() }))
  return { ...withTimes(row), trail: trailWithTimes }
}

/** Which of these nodes changed after a revision. */
export async function findChangedSince(
  db: Queryable,
  buildingId: string,
  revision: number,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db.rows<{ id: string }>(sql`
    select distinct node_id as id from node_changes
    where building_id = ${buildingId} and node_id = any(${ids}::uuid[]) and revision > ${revision}`)
  return rows.map(({ id }) => id)
}

/** Which of these ids a node, a building or a site has or had. */
export async function findUsedIds(db: Queryable, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db.rows<{ id: string }>(sql`
    select id from nodes where id = any(${ids}::uuid[])
    union select id from buildings where id = any(${ids}::uuid[])
    union select id from sites where id = any(${ids}::uuid[])
    union select c.node_id from buildings b join node_changes c on c.building_id = b.id
    where c.node_id = any(${ids}::uuid[])`)
  return rows.map(({ id }) => id)
}

type ChangeRow = { nodeId: string; kind: NodeKind; before: GraphNode | null; after: GraphNode | null }

/** Selects the states of the nodes that a revision changed, as they were before it. */
export const statesBefore = (buildingId: string, revision: number): Sql =>
  sql`select before as state from node_changes where building_id = ${buildingId} and revision = ${revision}`

/** Selects the states of the nodes that a revision changed, before and after it. */
export const statesOfChanges = (buildingId: string, revision: number): Sql => sql`
  ${statesBefore(buildingId, revision)}
  union all select after from node_changes where building_id = ${buildingId} and revision = ${revision}`

export async function readStatesBefore(
  db: Queryable,
  buildingId: string,
  revision: number,
): Promise<Omit<ChangeRow, 'after'>[]> {
  return await db.rows<Omit<ChangeRow, 'after'>>(sql`
    select node_id as "nodeId", kind, before from node_changes
    where building_id = ${buildingId} and revision = ${revision} order by node_id`)
}

export async function readChanges(db: Queryable, buildingId: string, revision: number): Promise<NodeChange[]> {
  const rows = await db.rows<ChangeRow>(sql`
    select node_id as "nodeId", kind, before, after from node_changes
    where building_id = ${buildingId} and revision = ${revision} order by node_id`)
  return rows.map(({ nodeId, kind, before, after }) => {
    const op = before === null ? 'create' : after === null ? 'delete' : 'update'
    return { op, kind, nodeId, before, after }
  })
}
