import { setImmediate } from 'node:timers/promises'
import type { Database } from '@storey/kit/database'
import { coalesceRuns } from './coalesce-runs.ts'
import { findInTexts, readTextTimes, readWords } from './request-index.store.ts'
import type { Term } from './search-words.ts'
import { createWordIndex, type Matches } from './word-index.ts'

export interface RequestTexts {
  /**
   * Resolves when all changes that were written before the call are known. Their texts are loaded as far as the memory
   * budget allows.
   */
  follow(): Promise<void>
  /**
   * Returns a function that checks whether a request contains all terms, or undefined if a text changed meanwhile or
   * the texts are being loaded again.
   */
  find(terms: readonly Term[]): Promise<Matches | undefined>
}

/** The memory for words. 100,000 requests of 50 words take half of it. */
const BUDGET_BYTES = 128 * 1024 * 1024
/** Texts are read in batches of about BATCH_BYTES, and of at most MAX_TEXTS rows. */
const BATCH_BYTES = 1024 * 1024
const MAX_TEXTS = 1_000
/** The times at which texts changed are read in batches of this many rows. */
const TIMES = 10_000
const MAX_BLOCK_MS = 10
const BEGINNING = new Date(0)

/**
 * The words of service requests, in memory as far as the budget allows. The texts of all other service requests are
 * searched in the database, which is slower but takes no memory here.
 */
export function createRequestTexts(db: Database, budgetBytes = BUDGET_BYTES): RequestTexts {
  let words = createWordIndex()
  let seen = BEGINNING
  /** Texts that changed after this time are not in memory. Undefined: all texts are in memory. */
  let fullAt: Date | undefined
  /** False while the index is loaded again. */
  let isWhole = true
  let batch = 100

  function rebuild(): void {
    words = createWordIndex()
    seen = BEGINNING
    fullAt = undefined
    isWhole = false
  }

  async function loadTexts(): Promise<boolean> {
    const rows = await readWords(db, seen, batch)
    const isLast = rows.length < batch
    let bytes = 0
    for (const { number, words: text, wordsAt } of rows) {
      if (words.bytes() >= budgetBytes) {
        if (words.isMostlyOld()) rebuild()
        else fullAt = seen
        return true
      }
      words.put(number, text)
      seen = wordsAt
      bytes += text.length
    }
    const larger = Math.round((batch * BATCH_BYTES) / Math.max(bytes, 1))
    batch = Math.max(1, Math.min(larger, batch * 2, MAX_TEXTS))
    return !isLast
  }

  /** Runs instead of `loadTexts` when the budget is used up. It removes changed texts from memory, and loads none. */
  async function loadTimes(): Promise<boolean> {
    const rows = await readTextTimes(db, seen, TIMES)
    for (const { number, wordsAt } of rows) {
      words.drop(number)
      seen = wordsAt
    }
    if (words.isMostlyOld()) {
      rebuild()
      return true
    }
    return rows.length === TIMES
  }

  /** A long search pauses, so that the process can serve other HTTP requests. */
  async function findInMemory(terms: readonly Term[]): Promise<Matches | undefined> {
    const at = seen
    const steps = words.find(terms)
    let pausedAt = performance.now()
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      if (performance.now() - pausedAt < MAX_BLOCK_MS) continue
      await setImmediate()
      if (seen !== at) return undefined
      pausedAt = performance.now()
    }
  }

  /** The last search in the database. Searches run one at a time, so that they do not use the whole connection pool. */
  let last: Promise<unknown> = Promise.resolve()
  function findInDatabase(after: Date, terms: readonly Term[]) {
    const found = last.then(() => findInTexts(db, after, terms))
    last = found.catch(() => undefined)
    return found
  }

  return {
    follow: coalesceRuns(async () => {
      for (let more = true; more; ) more = fullAt === undefined ? await loadTexts() : await loadTimes()
      isWhole = true
    }),
    async find(terms) {
      if (!isWhole) return undefined
      const at = seen
      const inMemory = await findInMemory(terms)
      if (inMemory === undefined || fullAt === undefined) return inMemory
      const { numbers, seenAt } = await findInDatabase(fullAt, terms)
      if (seen !== at || seenAt?.getTime() !== at.getTime()) return undefined
      const inDatabase = new Set(numbers)
      return (request) => inMemory(request) || inDatabase.has(request)
    },
  }
}
