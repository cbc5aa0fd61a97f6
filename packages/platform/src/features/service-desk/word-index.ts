import { createNumbers } from './numbers.ts'
import { createVocabulary } from './vocabulary.ts'

/** Which requests hold which words. */
export interface WordIndex {
  /** The words of a request, in place of those it had. */
  put(request: number, words: readonly string[]): void
  /** Tells whether a request holds all of the terms. */
  find(terms: readonly string[]): (request: number) => boolean
}

/** Of a chunk: most words are seldom, and the common ones are read one after another. */
const MOST_ITEMS = 1024
/** Before the items of a chunk: where the chunk before it is, and how many items it has room for. */
const HEAD = 2

/**
 * For each word the texts that hold it, in chunks, of which each is twice as long as the one before. A request whose text
 * changes is entered anew as another text: nothing is ever taken out, and nobody asks what an old text holds.
 */
export function createWordIndex(): WordIndex {
  const vocabulary = createVocabulary()
  const chunks = createNumbers(Uint32Array)
  /** No chunk is at 0. */
  let end = 1
  const lastChunk = createNumbers(Uint32Array)
  const filled = createNumbers(Uint32Array)
  const currentText = createNumbers(Uint32Array)
  let texts = 0

  function add(word: number, text: number): void {
    let chunk = lastChunk.get(word)
    let at = filled.get(word)
    const room = chunk === 0 ? 0 : chunks.get(chunk + 1)
    if (at === room) {
      const before = chunk
      chunk = end
      at = 0
      const items = Math.min(Math.max(1, room * 2), MOST_ITEMS)
      end += HEAD + items
      chunks.set(end - 1, 0)
      chunks.set(chunk, before)
      chunks.set(chunk + 1, items)
      lastChunk.set(word, chunk)
    }
    chunks.set(chunk + HEAD + at, text)
    filled.set(word, at + 1)
  }

  /** A text that holds the terms before this one, and now this one too. */
  function note(word: number, held: Uint16Array, term: number): void {
    const all = chunks.all()
    let count = filled.get(word)
    for (let chunk = lastChunk.get(word); chunk !== 0; chunk = all[chunk]!) {
      for (let i = chunk + HEAD; i < chunk + HEAD + count; i++) if (held[all[i]!] === term) held[all[i]!] = term + 1
      // Those before the last are full.
      count = all[all[chunk]! + 1]!
    }
  }

  return {
    put(request, words) {
      texts += 1
      currentText.set(request, texts)
      for (const word of words) add(vocabulary.numberOf(word), texts)
    },
    find(terms) {
      const held = new Uint16Array(texts + 1)
      for (const [i, term] of terms.entries()) for (const word of vocabulary.holding(term)) note(word, held, i)
      const current = currentText.all()
      return (request) => held[current[request] ?? 0] === terms.length
    },
  }
}
