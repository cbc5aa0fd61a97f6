import type { Database } from '@storey/kit/database'
import { createRequestColumns, type Filter, type Found, type Window } from './request-columns.ts'
import { readChanged, readWords } from './request-index.store.ts'
import { tellingTerms, wordsOf } from './search-words.ts'
import { createWordIndex } from './word-index.ts'

export interface RequestIndex {
  list(filter: Filter, window: Window, search?: string): Promise<Found>
}

/** Requests, and texts, that are taken in at a stroke: others are answered in between. */
const BATCH = 2_000
const WORDS_BATCH = 500
const BEGINNING = new Date(0)

/**
 * Answers lists from memory. It follows the desk as any poller does: changes become visible in the order of their times,
 * so what it has not seen is what came after the last one it saw, whoever wrote it. It asks for that before each answer.
 * 100,000 requests take 8 MB, and their words, which are read when somebody first searches, 70 MB more.
 */
export function createRequestIndex(db: Database): RequestIndex {
  const columns = createRequestColumns()
  const words = createWordIndex()

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

  let seenWords = BEGINNING
  const followWords = shared(async () => {
    for (let more = true; more; ) {
      const rows = await readWords(db, seenWords, WORDS_BATCH)
      for (const { number, words: text, wordsAt } of rows) {
        words.put(number, text.split(' '))
        seenWords = wordsAt
      }
      more = rows.length === WORDS_BATCH
    }
  })

  return {
    async list(filter, window, search) {
      if (search === undefined) {
        await follow()
        return columns.list(filter, window)
      }
      const terms = wordsOf(search)
      // Nothing to look for is found nowhere.
      if (terms.length === 0) return { page: [], total: 0 }
      await Promise.all([follow(), followWords()])
      return columns.list(filter, window, words.find(tellingTerms(terms)))
    },
  }
}

/** Those who ask while it runs wait for one more run: what was written before they asked is then in it. */
function shared(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const begin = () => {
    const begun = run().finally(() => {
      if (running === begun) running = undefined
    })
    running = begun
    return begun
  }
  return () => {
    if (!running) return begin()
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return begin()
      })
    return next
  }
}
