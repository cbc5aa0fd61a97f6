/**
 * Full-text search in any language: a text is folded (case, accents, forms of a letter) and split into words, which are
 * runs of letters and digits, or of pictographs. A term matches anywhere in a word; a short term only at the beginning
 * of a word.
 */

/** Scripts without spaces between words, and Hangul, whose words include their particles. */
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Bopomofo}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}' +
  '\\p{scx=Khmer}\\p{scx=Myanmar}\\p{scx=Tibetan}'
const LETTERS = '[\\p{L}\\p{M}\\p{N}]'
const RUNS = new RegExp(`[${LETTERS}&&[${UNSPACED}]]+|[${LETTERS}--[${UNSPACED}]]+|\\p{Extended_Pictographic}+`, 'gv')
const IS_UNSPACED = new RegExp(`^[${UNSPACED}\\p{Extended_Pictographic}]`, 'v')

/** Accents and vowel points, but not the marks that form another letter in kana. */
const MARKS = /[[\p{Script=Inherited}--[\u3099\u309A]][\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7]]/gv
/** Invisible characters and joiners, which do not separate words. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u0640]/gv

/** Letters that people also write in a plainer form, such as without a stroke, or as two letters. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ ł: 'l', đ: 'd', ð: 'd', ø: 'o', ħ: 'h', ı: 'i', ŧ: 't' },
  ...{ œ: 'oe', æ: 'ae', ß: 'ss', þ: 'th', ς: 'σ' },
}
const NOT_PLAIN = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g')

/** The dash in a request number, which is one word: SR-000123. */
const NUMBER_DASH = /(?<![\p{L}\p{M}\p{N}])sr[-\u2010-\u2015](?=[0-9])/gu

/** The words of a text, folded, each once. */
export function wordsOf(text: string): string[] {
  return [...new Set(fold(text).replace(NUMBER_DASH, 'sr').match(RUNS))]
}

/** The words as they are stored: separated by blanks. */
export function wordsOfRequest(title: string, description: string | null): string {
  return wordsOf(`${title}\n${description ?? ''}`).join(' ')
}

function fold(text: string): string {
  const plain = text.normalize('NFKD').toUpperCase().toLowerCase()
  const letters = plain.replace(NOT_PLAIN, (letter) => PLAIN[letter]!)
  return letters.replace(MARKS, '').replace(INVISIBLE, '').normalize('NFC')
}

/**
 * A term matches if one of these texts occurs in the words of a request. There is a blank before and after each word.
 */
export type Term = readonly string[]

/** The minimum number of digits in the number of a request, as in `requestNumber` (contract/src/service-desk.ts). */
export const NUMBER_DIGITS = 6
/**
 * A term with fewer characters (in a script with spaces) matches only at the start of words: elsewhere it would match
 * too often.
 */
const MIN_INSIDE = 3

export const termsOf = (search: string): Term[] => wordsOf(search).map(termOf)

function termOf(word: string): Term {
  const digits = /^sr([0-9]+)$/.exec(word)?.[1]
  if (digits === undefined) return [isShort(word) ? ` ${word}` : word]
  // A complete number matches itself only. A shorter number matches all numbers that begin with it; SR-12 also matches
  // SR-000012.
  if (digits.length >= NUMBER_DIGITS) return [` ${word} `]
  return [` ${word}`, ` sr${digits.padStart(NUMBER_DIGITS, '0')} `]
}

/**
 * A term in a script without spaces is never short, because even one character can be a word. A term of pictographs is
 * never short either.
 */
function isShort(word: string): boolean {
  return !IS_UNSPACED.test(word) && [...word].length < MIN_INSIDE
}
