import { LIMITS, problems, type RequestQuery, type RequestRecord } from '@storey/contract'
import { type Caller, checkReach } from '../../caller.ts'
import type { Desk } from './desk.ts'
import { countAll, countRequests, countSearched, listPage, sortSearched, walkSearched } from './list-requests.store.ts'
import { toRecord } from './record.ts'
import type { RequestRow } from './requests.store.ts'
import { searchFor } from './search-words.ts'

export interface RequestPage {
  data: RequestRecord[]
  total: number
  page: number
  limit: number
}

/** Which requests: those a query asks for, in the buildings that the caller reaches. */
export interface Filter extends Omit<RequestQuery, 'search' | 'page' | 'limit'> {
  /** null: all of them. */
  reach: readonly string[] | null
  now: Date
}

export interface Window {
  limit: number
  offset: number
}

/** The last changed first: who reads down to what it has read before has read all that is new. */
export async function listRequests({ db, clock }: Desk, caller: Caller, query: RequestQuery): Promise<RequestPage> {
  const { search, page = 1, limit = LIMITS.page.default, ...asked } = query
  if (limit > LIMITS.page.max) throw problems.limitTooLarge(limit, LIMITS.page.max)
  if (asked.buildingId !== undefined) checkReach(caller, asked.buildingId)
  const now = clock.now()
  const filter: Filter = { ...asked, reach: caller.buildingIds, now }
  const window = { limit, offset: (page - 1) * limit }
  const { rows, total } = await (search === undefined
    ? plain(db, filter, window)
    : searched(db, filter, window, search))
  return { data: rows.map((row) => toRecord(row, now)), total, page, limit }
}

type Found = { rows: RequestRow[]; total: number }

async function plain(db: Desk['db'], filter: Filter, window: Window): Promise<Found> {
  const [rows, total] = await Promise.all([listPage(db, filter, window), countRequests(db, filter)])
  return { rows, total }
}

/**
 * A search counts first. Where much is found, a page is found soon by looking at one request after another; where little
 * is, or the page lies deep, all that was found is put in order.
 */
async function searched(db: Desk['db'], filter: Filter, window: Window, text: string): Promise<Found> {
  const search = searchFor(text)
  if (!search) return { rows: [], total: 0 }
  const [total, all] = await Promise.all([countSearched(db, filter, search), countAll(db)])
  if (window.offset >= total) return { rows: [], total }
  const looks = ((window.offset + window.limit) * all) / total
  const list = looks * COST_OF_A_LOOK < total ? walkSearched : sortSearched
  return { rows: await list(db, filter, search, window), total }
}

/** In requests put in order: the words of one that is looked at must be fetched. */
const COST_OF_A_LOOK = 16
