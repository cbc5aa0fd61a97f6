/**
 * What a search finds, in any language. A text is folded (case, accents, forms of a letter) and cut into runs of letters
 * and digits. Words of scripts that part them by spaces are found by any three letters or more in a row, and by a
 * shorter beginning; the others by any characters in a row. The database keeps the runs as one text, and an index of
 * keys made from it (request_keys, in the migration): each run gives a key for every place where a match can begin.
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

/** Characters of a key, as request_keys makes them; and the least that is found inside a spaced word. */
const SPACED_KEY = 16
const UNSPACED_KEY = 3
const LEAST_INSIDE = 3
/** So many characters of a term count. A longer run is kept in pieces that overlap by as much: none is lost between. */
const TERM_LENGTH = 32
const PIECE_LENGTH = 256

/** The runs of a text, folded. */
export function wordsOf(text: string): string[] {
  return fold(text).match(RUNS) ?? []
}

function fold(text: string): string {
  const plain = text.normalize('NFKD').toUpperCase().toLowerCase().replaceAll('ς', 'σ')
  return plain.replace(MARKS, '').replace(SHAPING, '').normalize('NFC')
}

/** The runs as they are kept: each once, with a space before it; `|` marks an unspaced one, `~` one that goes on. */
export function keptWords(text: string): string {
  const kept = new Set<string>()
  for (const run of wordsOf(text)) {
    const mark = IS_UNSPACED.test(run) ? '|' : ''
    const characters = [...run]
    for (let i = 0; i === 0 || i + TERM_LENGTH <= characters.length; i += PIECE_LENGTH - TERM_LENGTH + 1) {
      kept.add((mark || (i === 0 ? '' : '~')) + characters.slice(i, i + PIECE_LENGTH).join(''))
    }
  }
  return [...kept].map((run) => ` ${run}`).join('')
}

export interface Search {
  /** A tsquery on the keys. */
  query: string
  /** What must stand in the kept words. It says the same. */
  pieces: string[]
  /** Those of the pieces of which the keys say too little. */
  unsettled: string[]
}

/** Undefined: there is nothing in it to look for, and nothing is found. */
export function searchFor(text: string): Search | undefined {
  const terms = [...new Set(wordsOf(text).map((term) => [...term].slice(0, TERM_LENGTH).join('')))]
  if (terms.length === 0) return undefined
  const parts = terms.map(askFor)
  return {
    query: parts.map(({ query }) => query).join(' & '),
    pieces: parts.map(({ piece }) => piece),
    unsettled: parts.filter(({ isSettled }) => !isSettled).map(({ piece }) => piece),
  }
}

function askFor(term: string): { query: string; piece: string; isSettled: boolean } {
  const characters = [...term]
  const isUnspaced = IS_UNSPACED.test(term)
  if (!isUnspaced && characters.length < LEAST_INSIDE) {
    return { query: `'^${term}'`, piece: ` ${term}`, isSettled: true }
  }
  const length = isUnspaced ? UNSPACED_KEY : SPACED_KEY
  const last = Math.max(0, characters.length - length)
  // Runs hold letters and digits only; the quotes keep them from being read as operators.
  const keyAt = (i: number) => `'${characters.slice(i, i + length).join('')}':*`
  const keys = Array.from({ length: last + 1 }, (_, i) => i).filter((i) => isUnspaced || i % 8 === 0 || i === last)
  return { query: keys.map(keyAt).join(' & '), piece: term, isSettled: last === 0 }
}
