import { setImmediate } from 'node:timers/promises'
import type { Database } from '@storey/kit/database'
import { findInTexts, readTextTimes, readWords } from './request-index.store.ts'
import type { Term } from './search-words.ts'
import { shared } from './shared.ts'
import { createWordIndex, type Holds } from './word-index.ts'

export interface RequestTexts {
  /** All that was written before is known. */
  follow(): Promise<void>
  /** Tells which requests hold all of the terms; undefined when a text changed meanwhile. */
  find(terms: readonly Term[]): Promise<Holds | undefined>
}

/** The words of 100,000 requests of 50 words take half of it. */
const BUDGET_BYTES = 128 * 1024 * 1024
/** Texts are read in so many bytes at a time, more or less, and times in so many rows. */
const BATCH_BYTES = 1024 * 1024
const MOST_TEXTS = 1_000
const TIMES = 10_000
const LONGEST_STROKE_MS = 10
const BEGINNING = new Date(0)

/**
 * The words of requests, in memory as far as the budget goes; what was written after that is searched by the database,
 * which takes longer, and takes none of our memory.
 */
export function createRequestTexts(db: Database, budgetBytes = BUDGET_BYTES): RequestTexts {
  let words = createWordIndex()
  let seen = BEGINNING
  /** From here on the texts are not in memory. */
  let fullAt: Date | undefined
  /** Not while it is filled anew. */
  let isWhole = true
  let batch = 100

  function beginAnew(): void {
    words = createWordIndex()
    seen = BEGINNING
    fullAt = undefined
    isWhole = false
  }

  async function takeIn(): Promise<boolean> {
    const rows = await readWords(db, seen, batch)
    const isLast = rows.length < batch
    let bytes = 0
    for (const { number, words: text, wordsAt } of rows) {
      if (words.bytes() >= budgetBytes) {
        if (words.isMostlyOld()) beginAnew()
        else fullAt = seen
        return true
      }
      words.put(number, text)
      seen = wordsAt
      bytes += text.length
    }
    const larger = Math.round((batch * BATCH_BYTES) / Math.max(bytes, 1))
    batch = Math.max(1, Math.min(larger, batch * 2, MOST_TEXTS))
    return !isLast
  }

  /** What changes is no longer what memory has of it. */
  async function passBy(): Promise<boolean> {
    const rows = await readTextTimes(db, seen, TIMES)
    for (const { number, wordsAt } of rows) {
      words.drop(number)
      seen = wordsAt
    }
    if (words.isMostlyOld()) {
      beginAnew()
      return true
    }
    return rows.length === TIMES
  }

  /** Of many terms each takes its time: others are answered in between. */
  async function findInside(terms: readonly Term[]): Promise<Holds | undefined> {
    const at = seen
    const steps = words.find(terms)
    let restedAt = performance.now()
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      if (performance.now() - restedAt < LONGEST_STROKE_MS) continue
      await setImmediate()
      if (seen !== at) return undefined
      restedAt = performance.now()
    }
  }

  /** One at a time: those that wait leave the connections to others. */
  let last: Promise<unknown> = Promise.resolve()
  function findOutside(after: Date, terms: readonly Term[]) {
    const found = last.then(() => findInTexts(db, after, terms))
    last = found.catch(() => undefined)
    return found
  }

  return {
    follow: shared(async () => {
      for (let more = true; more; ) more = fullAt === undefined ? await takeIn() : await passBy()
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
