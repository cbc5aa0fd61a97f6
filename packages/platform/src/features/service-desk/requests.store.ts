import { QUOTAS, type RequestCategorySlug, type RequestPriority, type RequestState } from '@storey/contract'
import { type Queryable, type Sql, sql, type Tx } from '@storey/kit/database'
import { noteChange } from '../../change-feed/index.ts'
import { isUuid } from '../../graph/index.ts'
import { wordsOfRequest } from './search-words.ts'
import { alertAt, type SlaClock } from './sla.ts'

export type RequestRow = SlaClock & {
  id: string
  number: number
  buildingId: string
  title: string
  description: string | null
  category: RequestCategorySlug
  priority: RequestPriority
  state: RequestState
  spaceId: string | null
  storeyId: string | null
  elementId: string | null
  faultId: string | null
  assignedUserId: string | null
  assignedTeamId: string | null
  reporter: string
  workOrderIds: string[]
  createdAt: Date
  updatedAt: Date
}

export const REQUEST_COLUMNS: Sql = sql`
  r.id, r.number, r.building_id as "buildingId", r.title, r.description, r.category, r.priority, r.state,
  r.space_id as "spaceId", r.storey_id as "storeyId", r.element_id as "elementId", r.fault_id as "faultId",
  r.assigned_user_id as "assignedUserId", r.assigned_team_id as "assignedTeamId", r.reporter,
  r.work_order_ids as "workOrderIds", r.created_at as "createdAt", r.updated_at as "updatedAt", r.due_at as "dueAt",
  r.paused_at as "pausedAt", r.warned_for as "warnedFor", r.breached_for as "breachedFor"`

export type NewRow = Omit<RequestRow, 'number'>

/**
 * Returns an upper bound of the number of requests, or the exact number if that bound reaches the quota. The bound is
 * the largest request number, because request numbers start at 1 and may have gaps. Call this in a desk transaction.
 */
export async function countRequests(tx: Tx): Promise<number> {
  const row = await tx.row<{ last: number }>(sql`select coalesce(max(number), 0) as last from service_requests`)
  if (row!.last < QUOTAS.serviceRequests.limit) return row!.last
  return (await tx.row<{ count: number }>(sql`select count(*) as count from service_requests`))!.count
}

export async function insertRequest(tx: Tx, row: NewRow): Promise<RequestRow> {
  const inserted = await tx.row<{ number: number }>(sql`
    insert into service_requests (id, building_id, title, description, category, priority, state, space_id, storey_id,
      element_id, fault_id, assigned_user_id, assigned_team_id, reporter, work_order_ids, created_at, updated_at, due_at,
      alert_at, words, words_at)
    values (${row.id}, ${row.buildingId}, ${row.title}, ${row.description}, ${row.category}, ${row.priority},
      ${row.state}, ${row.spaceId}, ${row.storeyId}, ${row.elementId}, ${row.faultId}, ${row.assignedUserId},
      ${row.assignedTeamId}, ${row.reporter}, ${row.workOrderIds}, ${row.createdAt}, ${row.updatedAt},
      ${row.dueAt}, ${alertAt(row)}, ${wordsOfRequest(row.title, row.description)}, ${row.updatedAt})
    returning number`)
  noteRequestChange(tx, row)
  return { ...row, number: inserted!.number }
}

/** Writes every field that can change, except the search words. */
export async function updateRequest(tx: Tx, row: RequestRow): Promise<void> {
  await tx.run(sql`
    update service_requests set title = ${row.title}, description = ${row.description}, category = ${row.category},
      priority = ${row.priority}, state = ${row.state}, space_id = ${row.spaceId}, storey_id = ${row.storeyId},
      element_id = ${row.elementId}, assigned_user_id = ${row.assignedUserId},
      assigned_team_id = ${row.assignedTeamId}, work_order_ids = ${row.workOrderIds}, updated_at = ${row.updatedAt},
      due_at = ${row.dueAt}, paused_at = ${row.pausedAt}, warned_for = ${row.warnedFor},
      breached_for = ${row.breachedFor}, alert_at = ${alertAt(row)}
    where id = ${row.id}`)
  noteRequestChange(tx, row)
}

/** The record of a fault contains its open request, so the record of the fault changes too. */
function noteRequestChange(tx: Tx, { buildingId, faultId }: NewRow): void {
  noteChange(tx, buildingId, 'requests')
  if (faultId !== null) noteChange(tx, buildingId, 'faults')
}

export async function updateWords(tx: Tx, { id, title, description, updatedAt }: RequestRow): Promise<void> {
  const words = wordsOfRequest(title, description)
  await tx.run(sql`
    update service_requests set words = ${words}, words_at = ${updatedAt} where id = ${id}`)
}

export async function findRequest(db: Queryable, id: string): Promise<RequestRow | undefined> {
  if (!isUuid(id)) return undefined
  return db.row<RequestRow>(sql`select ${REQUEST_COLUMNS} from service_requests r where r.id = ${id}`)
}

export async function findByNumber(db: Queryable, number: number): Promise<RequestRow | undefined> {
  return db.row<RequestRow>(sql`select ${REQUEST_COLUMNS} from service_requests r where r.number = ${number}`)
}
