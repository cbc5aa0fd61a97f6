import { setImmediate } from 'node:timers/promises'
import type { Database } from '@storey/kit/database'
import { findInTexts, readTextTimes, readWords } from './request-index.store.ts'
import type { Term } from './search-words.ts'
import { shared } from './shared.ts'
import { createWordIndex, type Holds } from './word-index.ts'

export interface RequestTexts {
  /** Resolves when everything written before is loaded. */
  follow(): Promise<void>
  /** Returns which requests contain all of the terms; undefined when a text changed meanwhile. */
  find(terms: readonly Term[]): Promise<Holds | undefined>
}

/** The words of 100,000 requests of 50 words take half of it. */
const BUDGET_BYTES = 128 * 1024 * 1024
/** Texts are read in batches of about this many bytes, and times in batches of this many rows. */
const BATCH_BYTES = 1024 * 1024
const MAX_TEXTS = 1_000
const TIMES = 10_000
const MAX_TURN_MS = 10
const BEGINNING = new Date(0)

/**
 * The words of requests, in memory as far as the budget allows; later texts are searched in the database, which is slower
 * and takes no memory here.
 */
export function createRequestTexts(db: Database, budgetBytes = BUDGET_BYTES): RequestTexts {
  let words = createWordIndex()
  let seen = BEGINNING
  /** From here on the texts are not in memory. */
  let fullAt: Date | undefined
  /** False while it is loaded again. */
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

  /** A changed text is no longer the one in memory. */
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

  /** A search with many terms yields to other requests. */
  async function findInside(terms: readonly Term[]): Promise<Holds | undefined> {
    const at = seen
    const steps = words.find(terms)
    let pausedAt = performance.now()
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      if (performance.now() - pausedAt < MAX_TURN_MS) continue
      await setImmediate()
      if (seen !== at) return undefined
      pausedAt = performance.now()
    }
  }

  /** One at a time, so that waiting searches do not take all connections. */
  let last: Promise<unknown> = Promise.resolve()
  function findOutside(after: Date, terms: readonly Term[]) {
    const found = last.then(() => findInTexts(db, after, terms))
    last = found.catch(() => undefined)
    return found
  }

  return {
    follow: shared(async () => {
      for (let more = true; more; ) more = fullAt === undefined ? await loadTexts() : await loadTimes()
      isWhole = true
    }),
    async find(terms) {
      if (!isWhole) return undefined
      const at = seen
      const inside = await findInside(terms)
      if (inside === undefined || fullAt === undefined) return inside
      const { numbers, seenAt } = await findOutside(fullAt, terms)
      if (seen !== at || seenAt?.getTime() !== at.getTime()) return undefined
      const outside = new Set(numbers)
      return (request) => inside(request) || outside.has(request)
    },
  }
}
