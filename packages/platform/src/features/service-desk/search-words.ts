/**
 * What a search finds, in any language. A text is folded (case, accents, forms of a letter) and cut into runs of letters
 * and digits. Words of scripts that part them by spaces are found by any three letters or more in a row, and by a
 * shorter beginning; the others by any characters in a row. The database looks for keys: each run gives one key for
 * every place where a match can begin, so that a term is the beginning of a key, or a few of them.
 */

/** Scripts that write sentences without spaces, and Hangul, whose words carry their particles. */
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Bopomofo}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}' +
  '\\p{scx=Khmer}\\p{scx=Myanmar}\\p{scx=Tibetan}'
const LETTERS = '[\\p{L}\\p{M}\\p{N}]'
const RUNS = new RegExp(
  `[${LETTERS}&&[${UNSPACED}]]+|[${LETTERS}--[${UNSPACED}]]+|\\p{Extended_Pictographic}+`,
  'gv',
)
const IS_UNSPACED = new RegExp(`^[${UNSPACED}\\p{Extended_Pictographic}]`, 'v')

/** Accents and vowel points, but not the marks that make another letter in kana; and what only shapes a line. */
const MARKS = /[[\p{Script=Inherited}--[\u3099\u309A]][\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7]]/gv
const SHAPING = /[\u00AD\u0640\u200E\u200F\u2060\uFEFF]/g

/** Characters of a key: longer ones would hardly tell more, and three unspaced ones are a word as a rule. */
const SPACED_KEY = 16
const UNSPACED_KEY = 3
const LEAST_INSIDE = 3
/** Before the one or two characters that a word begins with. It is in no run. */
const START = '^'

export function wordsOf(text: string): string[] {
  return fold(text).match(RUNS) ?? []
}

function fold(text: string): string {
  const plain = text.normalize('NFKD').toUpperCase().toLowerCase().replaceAll('ς', 'σ')
  return plain.replace(MARKS, '').replace(SHAPING, '').normalize('NFC')
}

/** The keys under which a text is found, each once. */
export function keysOf(words: readonly string[]): string[] {
  const keys = new Set<string>()
  for (const word of words) {
    const characters = [...word]
    const unspaced = IS_UNSPACED.test(word)
    const length = unspaced ? UNSPACED_KEY : SPACED_KEY
    const last = characters.length - (unspaced ? 1 : LEAST_INSIDE)
    for (let i = 0; i <= last; i++) keys.add(characters.slice(i, i + length).join(''))
    if (!unspaced) for (const few of [1, 2]) keys.add(START + characters.slice(0, few).join(''))
  }
  return [...keys]
}

export interface Search {
  /** A tsquery on the keys. */
  query: string
  /** Terms whose keys say too little: they must stand in the text in one piece. */
  pieces: string[]
}

/** Undefined: there is nothing in it to look for, and nothing is found. */
export function searchFor(text: string): Search | undefined {
  const terms = [...new Set(wordsOf(text))]
  if (terms.length === 0) return undefined
  const parts = terms.map(queryFor)
  return { query: parts.flatMap(({ keys }) => keys).join(' & '), pieces: parts.flatMap(({ pieces }) => pieces) }
}

function queryFor(term: string): { keys: string[]; pieces: string[] } {
  const characters = [...term]
  const unspaced = IS_UNSPACED.test(term)
  const length = unspaced ? UNSPACED_KEY : SPACED_KEY
  if (!unspaced && characters.length < LEAST_INSIDE) return { keys: [quoted(START + term)], pieces: [] }
  if (characters.length <= length) return { keys: [`${quoted(term)}:*`], pieces: [] }
  const keys: string[] = []
  const step = unspaced ? 1 : length / 2
  for (let i = 0; i < characters.length - length + step; i += step) {
    const from = Math.min(i, characters.length - length)
    keys.push(`${quoted(characters.slice(from, from + length).join(''))}:*`)
  }
  return { keys, pieces: [term] }
}

/** Runs hold letters and digits only; the quotes keep them from being read as operators. */
const quoted = (key: string) => `'${key}'`
