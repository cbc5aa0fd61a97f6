import { type NodeKind, type NodeOf, problems } from '@storey/contract'
import { type Queryable, type Sql, sql } from '@storey/kit/database'
import { firstExternalId } from './external-ids.ts'
import { isUuid } from './uuid.ts'

interface ExternalId {
  sourceSystem: string
  externalId: string
}

/** The columns that buildings and nodes of every kind share. */
export type NodeRow = {
  id: string
  code: string
  external_ids: ExternalId[]
  created_at: Date
  updated_at: Date
}

export const NODE_COLUMNS = sql`id, code, external_ids, created_at, updated_at`

/** The fields that records of every kind share. */
export function nodeFields(row: NodeRow) {
  const { externalId, sourceSystem } = firstExternalId(row.external_ids)
  return {
    id: row.id,
    externalId,
    externalIds: row.external_ids,
    sourceSystem,
    code: row.code,
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
  }
}

let lastTime = Number.NaN
let lastText = ''

/** The last text is reused, since rows written together have the same times. */
function timestamp(date: Date): string {
  const time = date.getTime()
  if (time !== lastTime) {
    lastTime = time
    lastText = date.toISOString()
  }
  return lastText
}

/**
 * The condition for the row that belongs to this building and has this id: a node or a changeset. An id that is not a
 * UUID is never sent to the database.
 */
export function hasId(buildingId: string, id: string): Sql {
  if (!isUuid(buildingId) || !isUuid(id)) return sql`false`
  return sql`building_id = ${buildingId} and id = ${id}`
}

/** The stored state of a node. */
export async function findNode<K extends NodeKind>(
  db: Queryable,
  kind: K,
  buildingId: string,
  id: string,
): Promise<NodeOf[K] | undefined> {
  const row = await db.row<{ state: NodeOf[K] }>(
    sql`select state from nodes where ${hasId(buildingId, id)} and kind = ${kind}`,
  )
  return row?.state
}

/**
 * Reads a list of a building, and throws NOT_FOUND if the building does not exist. A list with entries proves that the
 * building exists, so the building is looked up only if the list is empty.
 */
export async function listInBuilding<T extends { total: number }>(
  db: Queryable,
  buildingId: string,
  list: () => Promise<T>,
): Promise<T> {
  if (!isUuid(buildingId)) throw problems.notFound('building')
  const found = await list()
  if (found.total > 0 || (await buildingExists(db, buildingId))) return found
  throw problems.notFound('building')
}

export async function buildingExists(db: Queryable, buildingId: string): Promise<boolean> {
  return (await db.row(sql`select 1 as known from buildings where id = ${buildingId}`)) !== undefined
}
