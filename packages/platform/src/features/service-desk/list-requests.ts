import { LIMITS, problems, type RequestQuery, type RequestRecord } from '@storey/contract'
import { type Caller, checkScope } from '../../caller.ts'
import type { Desk } from './desk.ts'
import type { Filter } from './filter-requests.ts'
import { toRecord } from './record.ts'
import type { Window } from './request-columns.ts'
import { readNumbers } from './request-index.store.ts'
import type { RequestRow } from './requests.store.ts'

export interface RequestPage {
  data: RequestRecord[]
  total: number
  page: number
  limit: number
}

/**
 * Lists the most recently changed requests first, so that a poller can stop at the first request that has not changed
 * since the previous poll.
 */
export async function listRequests(desk: Desk, caller: Caller, query: RequestQuery): Promise<RequestPage> {
  const { search, page = 1, limit = LIMITS.request.page.default, ...fields } = query
  if (limit > LIMITS.request.page.max) throw problems.limitTooLarge(limit, LIMITS.request.page.max)
  if (fields.buildingId !== undefined) checkScope(caller, fields.buildingId)
  const now = desk.clock.now()
  const filter = { ...fields, scope: caller.buildingIds, now }
  const { rows, total } = await readPage(desk, filter, { limit, offset: (page - 1) * limit }, search)
  return { data: rows.map((row) => toRecord(row, now)), total, page, limit }
}

type Rows = { rows: RequestRow[]; total: number }

const TRIES = 3

/**
 * A page shows the state of one instant. If a request changes after it was found and before it is read, the search is
 * repeated. The last attempt runs in a desk transaction, during which nothing changes.
 */
async function readPage(desk: Desk, filter: Filter, window: Window, search?: string): Promise<Rows> {
  for (let i = 0; i < TRIES; i++) {
    const rows = await tryPage(desk, filter, window, search)
    if (rows) return rows
  }
  return desk.transaction(async () => (await tryPage(desk, filter, window, search))!)
}

async function tryPage(
  { db, index }: Desk,
  filter: Filter,
  window: Window,
  search?: string,
): Promise<Rows | undefined> {
  const found = await index.list(filter, window, search)
  if (!found) return undefined
  const { page, total } = found
  const rows = await readNumbers(
    db,
    page.map(({ number }) => number),
  )
  const isAsFound = rows.every(({ updatedAt }, i) => updatedAt.getTime() === page[i]!.updatedAtMs)
  return isAsFound ? { rows, total } : undefined
}
