import { LIMITS, problems, type RequestQuery, type RequestRecord } from '@storey/contract'
import { type Caller, checkReach } from '../../caller.ts'
import type { Desk } from './desk.ts'
import { toRecord } from './record.ts'
import { readNumbers } from './request-index.store.ts'

export interface RequestPage {
  data: RequestRecord[]
  total: number
  page: number
  limit: number
}

/** The last changed first: who reads down to what it has read before has read all that is new. */
export async function listRequests(desk: Desk, caller: Caller, query: RequestQuery): Promise<RequestPage> {
  const { db, clock, index } = desk
  const { search, page = 1, limit = LIMITS.page.default, ...asked } = query
  if (limit > LIMITS.page.max) throw problems.limitTooLarge(limit, LIMITS.page.max)
  if (asked.buildingId !== undefined) checkReach(caller, asked.buildingId)
  const now = clock.now()
  const filter = { ...asked, reach: caller.buildingIds, now }
  const found = await index.list(filter, { limit, offset: (page - 1) * limit }, search)
  const rows = await readNumbers(db, found.page)
  return { data: rows.map((row) => toRecord(row, now)), total: found.total, page, limit }
}
