import { and, type Queryable, type Sql, sql } from '@storey/kit/database'
import { isUuid } from '../../graph/uuid.ts'
import type { Filter, Window } from './list-requests.ts'
import { REQUEST_COLUMNS, type RequestRow } from './requests.store.ts'
import type { Search } from './search-words.ts'

/** Conditions on columns that service_requests and service_request_search share. */
function conditions(filter: Filter): Sql[] {
  const { spaceId, storeyId, elementId, assignedUserId, assignedTeamId, overdue, now } = filter
  const found = counted(filter)
  if (spaceId !== undefined) found.push(sql`space_id = ${spaceId}`)
  if (storeyId !== undefined) found.push(sql`storey_id = ${storeyId}`)
  if (elementId !== undefined) found.push(sql`element_id = ${elementId}`)
  if (assignedUserId !== undefined) found.push(sql`assigned_user_id = ${assignedUserId}`)
  if (assignedTeamId !== undefined) found.push(sql`assigned_team_id = ${assignedTeamId}`)
  if (overdue === true) found.push(sql`late_at <= ${now}`)
  if (overdue === false) found.push(sql`(late_at is null or late_at > ${now})`)
  return found
}

/** Those that service_request_counts knows as well. */
function counted({ buildingId, state, priority, category, reach }: Filter): Sql[] {
  const found: Sql[] = []
  if (buildingId !== undefined) found.push(sql`building_id = ${buildingId}`)
  else if (reach !== null) found.push(sql`building_id = any(${reach.filter(isUuid)}::uuid[])`)
  if (state !== undefined) found.push(sql`state = ${state}`)
  if (priority !== undefined) found.push(sql`priority = ${priority}`)
  if (category !== undefined) found.push(sql`category = ${category}`)
  return found
}

const isCounted = ({ spaceId, storeyId, elementId, assignedUserId, assignedTeamId }: Filter) =>
  [spaceId, storeyId, elementId, assignedUserId, assignedTeamId].every((value) => value === undefined)

/** The page is found in an index alone, by its times, which are unique; only its own rows are then read. */
const pageOf = (times: Sql): Sql => sql`
  select ${REQUEST_COLUMNS} from (${times}) as p join service_requests r on r.updated_at = p.updated_at
  order by r.updated_at desc`

const inOrder = ({ limit, offset }: Window): Sql => sql`order by updated_at desc limit ${limit} offset ${offset}`

export function listPage(db: Queryable, filter: Filter, window: Window): Promise<RequestRow[]> {
  const where = and(conditions(filter))
  return db.rows<RequestRow>(pageOf(sql`select updated_at from service_requests where ${where} ${inOrder(window)}`))
}

export async function countRequests(db: Queryable, filter: Filter): Promise<number> {
  if (!isCounted(filter) || filter.overdue === true) return countRows(db, filter)
  const { overdue, ...others } = filter
  // Those that are not overdue are many: the others are counted, and taken away.
  const [all, late] = await Promise.all([
    sumCounts(db, others),
    overdue === false ? countRows(db, { ...others, overdue: true }) : 0,
  ])
  return all - late
}

async function countRows(db: Queryable, filter: Filter): Promise<number> {
  const where = and(conditions(filter))
  const row = await db.row<{ total: number }>(sql`select count(*) as total from service_requests where ${where}`)
  return row!.total
}

async function sumCounts(db: Queryable, filter: Filter): Promise<number> {
  const where = and(counted(filter))
  const row = await db.row<{ total: number }>(sql`
    select coalesce(sum(count), 0) as total from service_request_counts where ${where}`)
  return row!.total
}

export async function countAll(db: Queryable): Promise<number> {
  const row = await db.row<{ total: number }>(sql`
    select coalesce(sum(count), 0) as total from service_request_counts`)
  return row!.total
}

const stands = (pieces: readonly string[]): Sql => and(pieces.map((piece) => sql`position(${piece} in words) > 0`))

/** By the index of keys, and no other way: request_keys is too dear for that. */
const found = ({ query, unsettled }: Search): Sql =>
  sql`request_keys(words) @@ ${query}::tsquery and ${stands(unsettled)}`

export async function countSearched(db: Queryable, filter: Filter, search: Search): Promise<number> {
  const where = and([...conditions(filter), found(search)])
  const row = await db.row<{ total: number }>(sql`select count(*) as total from service_request_search where ${where}`)
  return row!.total
}

/** All that is found, put in order. */
export function sortSearched(db: Queryable, filter: Filter, search: Search, window: Window): Promise<RequestRow[]> {
  const where = and([...conditions(filter), found(search)])
  return db.rows<RequestRow>(
    pageOf(sql`
      with found as materialized (select updated_at from service_request_search where ${where})
      select updated_at from found ${inOrder(window)}`),
  )
}

/** One request after another, in order, until the page is full. A scalar query is asked row by row. */
export function walkSearched(db: Queryable, filter: Filter, search: Search, window: Window): Promise<RequestRow[]> {
  const one = sql`(select ${stands(search.pieces)} from service_request_search s where s.number = r.number)`
  const where = and([...conditions(filter), one])
  return db.rows<RequestRow>(pageOf(sql`select updated_at from service_requests r where ${where} ${inOrder(window)}`))
}
