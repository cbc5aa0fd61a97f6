import type { RequestState } from '@storey/contract'
import { and, type Queryable, type Sql, sql } from '@storey/kit/database'
import type { ListedRow } from './request-columns.ts'
import { REQUEST_COLUMNS, type RequestRow } from './requests.store.ts'
import type { Term } from './search-words.ts'
import { overdueAt } from './sla.ts'

/** A time in milliseconds since the epoch: reading 100,000 requests is a third faster without `Date` objects. */
const inMs = (column: Sql): Sql => sql`(extract(epoch from ${column}) * 1000)::bigint`

type ChangedRow = Omit<ListedRow, 'overdueAtMs'> & { state: RequestState; dueAtMs: number; pausedAtMs: number | null }

/** Requests that changed after a time, ordered by their last change. */
export async function readChanged(db: Queryable, after: Date, max: number): Promise<ListedRow[]> {
  const rows = await db.rows<ChangedRow>(sql`
    select number, building_id as "buildingId", state, priority, category, space_id as "spaceId",
      storey_id as "storeyId", element_id as "elementId", assigned_user_id as "assignedUserId",
      assigned_team_id as "assignedTeamId", ${inMs(sql`due_at`)} as "dueAtMs", ${inMs(sql`paused_at`)} as "pausedAtMs",
      ${inMs(sql`updated_at`)} as "updatedAtMs"
    from service_requests where updated_at > ${after} order by updated_at limit ${max}`)
  return rows.map(({ dueAtMs, pausedAtMs, ...row }) => ({
    ...row,
    overdueAtMs: overdueAt(row.state, dueAtMs, pausedAtMs),
  }))
}

/** The words of requests whose text changed after a time, ordered by the time of this change. */
export async function readWords(
  db: Queryable,
  after: Date,
  max: number,
): Promise<{ number: number; words: string; wordsAt: Date }[]> {
  return db.rows(sql`
    select number, words, words_at as "wordsAt" from service_requests
    where words_at > ${after} order by words_at limit ${max}`)
}

/** Like `readWords`, without the words. */
export async function readTextTimes(
  db: Queryable,
  after: Date,
  max: number,
): Promise<{ number: number; wordsAt: Date }[]> {
  return db.rows(sql`
    select number, words_at as "wordsAt" from service_requests
    where words_at > ${after} order by words_at limit ${max}`)
}

/**
 * The numbers of the requests whose text changed after a time and contains all of the terms. `seenAt` is the time of
 * the last change of any text, as the same statement sees it. The statement searches every changed text: 100 MB take a
 * second or two.
 */
export async function findInTexts(
  db: Queryable,
  after: Date,
  terms: readonly Term[],
): Promise<{ numbers: number[]; seenAt: Date | null }> {
  const matches = terms.map((term) => sql`t.text like any(${term.map((sought) => `%${sought}%`)}::text[])`)
  const row = await db.row<{ numbers: number[]; seenAt: Date | null }>(sql`
    select (select max(words_at) from service_requests) as "seenAt", array(
      select r.number::float8 from service_requests r cross join lateral (
        select ' sr' || lpad(r.number::text, greatest(6, length(r.number::text)), '0') || ' ' || r.words || ' ' as text
        offset 0
      ) t where r.words_at > ${after} and ${and(matches)}
    ) as numbers`)
  return row!
}

/** The requests with these numbers, in the same order. */
export async function readNumbers(db: Queryable, numbers: readonly number[]): Promise<RequestRow[]> {
  if (numbers.length === 0) return []
  return db.rows<RequestRow>(sql`
    select ${REQUEST_COLUMNS} from unnest(${numbers}::bigint[]) with ordinality as p (number, place)
    join service_requests r on r.number = p.number order by p.place`)
}
