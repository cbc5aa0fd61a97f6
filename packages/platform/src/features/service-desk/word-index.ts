import { createNumbers } from './numbers.ts'
import { createVocabulary } from './vocabulary.ts'

/** Which requests hold which words. */
export interface WordIndex {
  /** The words of a request, in place of those it had. */
  put(request: number, words: readonly string[]): void
  /** Tells whether a request holds all of the terms. */
  find(terms: readonly string[]): (request: number) => boolean
}

/**
 * For each word the texts that hold it form a chain, the last one first. A request whose text changes is entered anew as
 * another text: nothing is ever taken out of a chain, and nobody asks what an old text holds.
 */
export function createWordIndex(): WordIndex {
  const vocabulary = createVocabulary()
  /** Of a word, its last link; of a link, its text and, beside it, the link before. Link 0 is none. */
  const lastLink = createNumbers(Uint32Array)
  const links = createNumbers(Uint32Array)
  let linkCount = 0
  const currentText = createNumbers(Uint32Array)
  let texts = 0

  return {
    put(request, words) {
      texts += 1
      currentText.set(request, texts)
      for (const word of words) {
        const number = vocabulary.numberOf(word)
        linkCount += 1
        links.set(2 * linkCount, texts)
        links.set(2 * linkCount + 1, lastLink.get(number))
        lastLink.set(number, linkCount)
      }
    },
    find(terms) {
      /** How many of the terms a text holds before the first that it does not. */
      const held = new Uint16Array(texts + 1)
      const chain = links.all()
      for (const [i, term] of terms.entries()) {
        for (const word of vocabulary.holding(term)) {
          for (let link = lastLink.get(word); link !== 0; link = chain[2 * link + 1]!) {
            const text = chain[2 * link]!
            if (held[text] === i) held[text] = i + 1
          }
        }
      }
      const current = currentText.all()
      return (request) => held[current[request] ?? 0] === terms.length
    },
  }
}
