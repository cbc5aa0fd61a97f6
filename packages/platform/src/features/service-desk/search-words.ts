import { requestNumber } from '@storey/contract'

/**
 * What a search finds, in any language: a text is folded (case, accents, forms of a letter) and cut into words, runs of
 * letters and digits. A term of a search is found wherever it stands in a word.
 */

/** Scripts that write sentences without spaces, and Hangul, whose words carry their particles. */
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Bopomofo}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}' +
  '\\p{scx=Khmer}\\p{scx=Myanmar}\\p{scx=Tibetan}'
const LETTERS = '[\\p{L}\\p{M}\\p{N}]'
const RUNS = new RegExp(`[${LETTERS}&&[${UNSPACED}]]+|[${LETTERS}--[${UNSPACED}]]+|\\p{Extended_Pictographic}+`, 'gv')
const IS_UNSPACED = new RegExp(`^[${UNSPACED}\\p{Extended_Pictographic}]`, 'v')

/** Accents and vowel points, but not the marks that make another letter in kana; and what only shapes a line. */
const MARKS = /[[\p{Script=Inherited}--[\u3099\u309A]][\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7]]/gv
const SHAPING = /[\u00AD\u0640\u200E\u200F\u2060\uFEFF]/g

const LEADING_ZEROS = /^0+(?=[0-9]+$)/

/** The words of a text, folded, each once; SR-000123 is found as SR-123 too. */
export function wordsOf(text: string): string[] {
  const runs = fold(text).match(RUNS) ?? []
  return [...new Set(runs.map((run) => run.replace(LEADING_ZEROS, '')))]
}

/** The words of a number, as people say it, before its digits: every request holds them, and none is entered for it. */
const EVERYWHERE = ['sr']

export function wordsOfRequest(number: number, title: string, description: string | null): string[] {
  const words = wordsOf(`${requestNumber(number)}\n${title}\n${description ?? ''}`)
  return words.filter((word) => !EVERYWHERE.includes(word))
}

/** Those of the terms that not every request holds. */
export function tellingTerms(terms: readonly string[]): string[] {
  return terms.filter((term) => !EVERYWHERE.some((word) => word.startsWith(term)))
}

function fold(text: string): string {
  const plain = text.normalize('NFKD').toUpperCase().toLowerCase().replaceAll('ς', 'σ')
  return plain.replace(MARKS, '').replace(SHAPING, '').normalize('NFC')
}

/** A word stands for its script: runs of both do not mix. */
export function isUnspaced(word: string): boolean {
  return IS_UNSPACED.test(word)
}
