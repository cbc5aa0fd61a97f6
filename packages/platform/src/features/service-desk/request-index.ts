import type { Database } from '@storey/kit/database'
import { createRequestColumns, type Filter, type Found, type Window } from './request-columns.ts'
import { readChanged } from './request-index.store.ts'
import { createRequestTexts } from './request-texts.ts'
import { termsOf } from './search-words.ts'
import { shared } from './shared.ts'

export interface RequestIndex {
  /** Undefined when a text changed during the search: retry. */
  list(filter: Filter, window: Window, search?: string): Promise<Found | undefined>
}

/** Requests that are loaded in one turn, so that others are answered in between. */
const BATCH = 2_000
const BEGINNING = new Date(0)

/**
 * Answers lists from memory. It follows the desk like a poller: changes become visible in the order of their times, so
 * before each answer it reads what changed after the last change it has seen, by any process. 100,000 requests take
 * 8 MB; their words are loaded with the first search.
 */
export function createRequestIndex(db: Database, textBytes?: number): RequestIndex {
  const columns = createRequestColumns()
  const texts = createRequestTexts(db, textBytes)

  let seen = BEGINNING
  const follow = shared(async () => {
    for (let more = true; more; ) {
      const rows = await readChanged(db, seen, BATCH)
      for (const row of rows) {
        columns.put(row)
        seen = new Date(row.updatedAtMs)
      }
      more = rows.length === BATCH
    }
  })

  return {
    async list(filter, window, search) {
      if (search === undefined) {
        await follow()
        return columns.list(filter, window)
      }
      const terms = termsOf(search)
      // A search without terms finds nothing.
      if (terms.length === 0) return { page: [], total: 0 }
      await Promise.all([follow(), texts.follow()])
      const holds = await texts.find(terms)
      return holds && columns.list(filter, window, holds)
    },
  }
}
