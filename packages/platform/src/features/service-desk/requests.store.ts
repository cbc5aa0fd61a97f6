import { type RequestCategorySlug, type RequestPriority, type RequestState, requestNumber } from '@storey/contract'
import { type Queryable, type Sql, sql, type Tx } from '@storey/kit/database'
import { isUuid } from '../../graph/uuid.ts'
import { keptWords } from './search-words.ts'
import { alertAt, lateAt, type SlaClock } from './sla.ts'

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
  assignedUserId: string | null
  assignedTeamId: string | null
  reporter: string
  workOrderIds: string[]
  createdAt: Date
  updatedAt: Date
}

export const REQUEST_COLUMNS: Sql = sql`
  r.id, r.number, r.building_id as "buildingId", r.title, r.description, r.category, r.priority, r.state,
  r.space_id as "spaceId", r.storey_id as "storeyId", r.element_id as "elementId",
  r.assigned_user_id as "assignedUserId", r.assigned_team_id as "assignedTeamId", r.reporter,
  r.work_order_ids as "workOrderIds", r.created_at as "createdAt", r.updated_at as "updatedAt", r.due_at as "dueAt",
  r.rested_at as "restedAt", r.warned, r.breached`

export type NewRow = Omit<RequestRow, 'number'>

/** The row with its number. */
export async function insertRequest(tx: Tx, made: NewRow): Promise<RequestRow> {
  const inserted = await tx.row<{ number: number }>(sql`
    insert into service_requests (id, building_id, title, description, category, priority, state, space_id, storey_id,
      element_id, assigned_user_id, assigned_team_id, reporter, work_order_ids, created_at, updated_at, due_at, late_at,
      alert_at)
    values (${made.id}, ${made.buildingId}, ${made.title}, ${made.description}, ${made.category}, ${made.priority},
      ${made.state}, ${made.spaceId}, ${made.storeyId}, ${made.elementId}, ${made.assignedUserId},
      ${made.assignedTeamId}, ${made.reporter}, ${made.workOrderIds}, ${made.createdAt}, ${made.updatedAt},
      ${made.dueAt}, ${lateAt(made)}, ${alertAt(made)})
    returning number`)
  const row = { ...made, number: inserted!.number }
  await tx.run(sql`
    insert into service_request_search (number, building_id, category, priority, state, space_id, storey_id, element_id,
      assigned_user_id, assigned_team_id, updated_at, late_at, words)
    values (${row.number}, ${row.buildingId}, ${row.category}, ${row.priority}, ${row.state}, ${row.spaceId},
      ${row.storeyId}, ${row.elementId}, ${row.assignedUserId}, ${row.assignedTeamId}, ${row.updatedAt},
      ${lateAt(row)}, ${wordsOf(row)})`)
  return row
}

/** Everything of a request that can change, in both its tables. */
export async function updateRequest(tx: Tx, row: RequestRow): Promise<void> {
  await tx.run(sql`
    with changed as (
      update service_requests set title = ${row.title}, description = ${row.description}, category = ${row.category},
        priority = ${row.priority}, state = ${row.state}, space_id = ${row.spaceId}, storey_id = ${row.storeyId},
        element_id = ${row.elementId}, assigned_user_id = ${row.assignedUserId},
        assigned_team_id = ${row.assignedTeamId}, work_order_ids = ${row.workOrderIds}, updated_at = ${row.updatedAt},
        due_at = ${row.dueAt}, rested_at = ${row.restedAt}, warned = ${row.warned}, breached = ${row.breached},
        late_at = ${lateAt(row)}, alert_at = ${alertAt(row)}
      where id = ${row.id}
      returning number, category, priority, state, space_id, storey_id, element_id, assigned_user_id, assigned_team_id,
        updated_at, late_at
    )
    update service_request_search s set category = c.category, priority = c.priority, state = c.state,
      space_id = c.space_id, storey_id = c.storey_id, element_id = c.element_id,
      assigned_user_id = c.assigned_user_id, assigned_team_id = c.assigned_team_id, updated_at = c.updated_at,
      late_at = c.late_at
    from changed c where s.number = c.number`)
}

export async function updateTexts(tx: Tx, row: RequestRow): Promise<void> {
  await tx.run(sql`update service_request_search set words = ${wordsOf(row)} where number = ${row.number}`)
}

function wordsOf({ number, title, description }: RequestRow): string {
  return keptWords(`${requestNumber(number)}\n${title}\n${description ?? ''}`)
}

export async function findRequest(db: Queryable, id: string): Promise<RequestRow | undefined> {
  if (!isUuid(id)) return undefined
  return db.row<RequestRow>(sql`select ${REQUEST_COLUMNS} from service_requests r where r.id = ${id}`)
}

export async function findByNumber(db: Queryable, number: number): Promise<RequestRow | undefined> {
  return db.row<RequestRow>(sql`select ${REQUEST_COLUMNS} from service_requests r where r.number = ${number}`)
}
