import { createNumbers } from './numbers.ts'
import { numberMatcher } from './search-number.ts'
import type { Term } from './search-words.ts'
import { createVocabulary } from './vocabulary.ts'

export type Matches = (request: number) => boolean

/** Which requests contain which words. */
export interface WordIndex {
  /** Sets the words of a request. `words` contains each word once, separated by blanks. */
  put(request: number, words: string): void
  /** Removes the words of a request, so that it is not found. */
  drop(request: number): void
  /**
   * Yields after each term, and returns a function that checks whether a request contains all of the terms. Do not call
   * `put` or `drop` before the generator returns.
   */
  find(terms: readonly Term[]): Generator<void, Matches>
  /** Memory in bytes. */
  bytes(): number
  /** Whether the index has too many entries of outdated texts. An entry is one word of one text. */
  isMostlyOld(): boolean
}

/**
 * The maximum number of texts in a chunk: a section of the array `chunks`, not a chunk of observations. Larger chunks
 * would leave more space unused.
 */
const MAX_ITEMS = 1024
/** A chunk begins with this many numbers: the position of the previous chunk, and the chunk's own capacity. */
const HEAD = 2
const BLANK = 0x20
/** The index is rebuilt only if it has this many more outdated entries than current ones. */
const MIN_OLD_WORDS = 100_000

/**
 * Stores for each word the texts that contain it: a single text, or chunks of texts, each twice as long as the previous
 * one, up to MAX_ITEMS. A changed text of a request is added as a new text: nothing is removed, and outdated texts are
 * ignored.
 */
export function createWordIndex(): WordIndex {
  const vocabulary = createVocabulary()
  const chunks = createNumbers(Uint32Array)
  /** The end of the used part of `chunks`. Position 0 is unused. */
  let end = 1
  /**
   * For each word: `place` is its only text or its last chunk; `filled` is 0 for no text and 1 for a single text,
   * otherwise the number of texts in that chunk plus 1.
   */
  const place = createNumbers(Uint32Array)
  const filled = createNumbers(Uint16Array)
  /** The current text of each request. 0 means none. */
  const currentText = createNumbers(Uint32Array)
  const wordCount = createNumbers(Uint32Array)
  const parts = [chunks, place, filled, currentText, wordCount]
  let texts = 0
  let requests = 0
  let [entered, current] = [0, 0]

  function addChunk(word: number, before: number, items: number): number {
    const chunk = end
    end += HEAD + items
    chunks.set(end - 1, 0)
    chunks.set(chunk, before)
    chunks.set(chunk + 1, items)
    place.set(word, chunk)
    return chunk
  }

  function add(word: number, text: number): void {
    const held = filled.get(word)
    const at = place.get(word)
    if (held === 0) {
      place.set(word, text)
      filled.set(word, 1)
    } else if (held === 1) {
      const chunk = addChunk(word, 0, 2)
      chunks.set(chunk + HEAD, at)
      chunks.set(chunk + HEAD + 1, text)
      filled.set(word, 3)
    } else if (held - 1 < chunks.get(at + 1)) {
      chunks.set(at + HEAD + held - 1, text)
      filled.set(word, held + 1)
    } else {
      const chunk = addChunk(word, at, Math.min(chunks.get(at + 1) * 2, MAX_ITEMS))
      chunks.set(chunk + HEAD, text)
      filled.set(word, 2)
    }
  }

  /** Marks each text that contains all earlier terms and this word. The word matches the current term. */
  function note(word: number, held: Uint16Array, term: number): void {
    const at = place.get(word)
    if (filled.get(word) === 1) {
      if (held[at] === term) held[at] = term + 1
      return
    }
    const all = chunks.all()
    let count = filled.get(word) - 1
    for (let chunk = at; chunk !== 0; chunk = all[chunk]!) {
      for (let i = chunk + HEAD; i < chunk + HEAD + count; i++) if (held[all[i]!] === term) held[all[i]!] = term + 1
      // All chunks before the last are full.
      count = all[all[chunk]! + 1]!
    }
  }

  function noteNumbers(matches: Matches, held: Uint16Array, term: number): void {
    const all = currentText.all()
    for (let request = 1; request <= requests; request++) {
      const text = all[request]!
      if (text !== 0 && held[text] === term && matches(request)) held[text] = term + 1
    }
  }

  function forget(request: number): void {
    current -= wordCount.get(request)
    currentText.set(request, 0)
    wordCount.set(request, 0)
  }

  return {
    put(request, words) {
      forget(request)
      texts += 1
      requests = Math.max(requests, request)
      currentText.set(request, texts)
      const bytes = Buffer.from(words)
      let count = 0
      for (let from = 0; from < bytes.length; ) {
        let to = from
        while (to < bytes.length && bytes[to] !== BLANK) to++
        add(vocabulary.numberOf(bytes, from, to), texts)
        count += 1
        from = to + 1
      }
      wordCount.set(request, count)
      entered += count
      current += count
    },
    drop: forget,
    *find(terms) {
      const held = new Uint16Array(texts + 1)
      for (const [i, term] of terms.entries()) {
        for (const sought of term) for (const word of vocabulary.wordsContaining(sought)) note(word, held, i)
        const matches = numberMatcher(term)
        if (matches) noteNumbers(matches, held, i)
        yield
      }
      const all = currentText.all()
      return (request) => held[all[request] ?? 0] === terms.length
    },
    bytes: () => vocabulary.bytes() + parts.reduce((sum, part) => sum + part.all().byteLength, 0),
    isMostlyOld: () => entered - current > current + MIN_OLD_WORDS,
  }
}
