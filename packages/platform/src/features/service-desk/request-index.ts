import type { Database } from '@storey/kit/database'
import { coalesceRuns } from './coalesce-runs.ts'
import type { Filter } from './filter-requests.ts'
import { createRequestColumns, type Found, type Window } from './request-columns.ts'
import { readChanged } from './request-index.store.ts'
import { createRequestTexts } from './request-texts.ts'
import { termsOf } from './search-words.ts'

export interface RequestIndex {
  /** Resolves to undefined if texts changed or were loaded again during the search, so that the caller retries. */
  list(filter: Filter, window: Window, search?: string): Promise<Found | undefined>
}

/** How many requests are loaded at a time, so that other work is not blocked. */
const BATCH = 2_000
const BEGINNING = new Date(0)

/**
 * Serves lists from memory. Changes become visible in the order of their times, so before each list the index reads
 * only the changes (of any process) that are newer than the last change it has seen. 100,000 requests take 8 MB; their
 * words are loaded with the first search.
 */
export function createRequestIndex(db: Database, textBytes?: number): RequestIndex {
  const columns = createRequestColumns()
  const texts = createRequestTexts(db, textBytes)

  let seen = BEGINNING
  const follow = coalesceRuns(async () => {
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
      const matches = await texts.find(terms)
      return matches && columns.list(filter, window, matches)
    },
  }
}
