/** The first integers that are too large for 64 bits, with and without a sign. */
const MAX_SIGNED = 2n ** 63n
const MAX_UNSIGNED = 2n ** 64n
/** Any integer with at most this many characters is in range. */
const SAFE_DIGITS = 18

const TRUE = new Set(['t', 'T', 'true', 'True', 'TRUE'])
const FALSE = new Set(['f', 'F', 'false', 'False', 'FALSE'])

/** `true` or `false`; undefined for any other word. */
export function readBoolean(word: string): 'true' | 'false' | undefined {
  if (TRUE.has(word)) return 'true'
  return FALSE.has(word) ? 'false' : undefined
}

/** Whether a text, from which the suffix `i` or `u` was removed, is an integer that fits into 64 bits. */
export function isInteger(text: string, isUnsigned: boolean): boolean {
  if (!(isUnsigned ? /^\d+$/ : /^-?\d+$/).test(text)) return false
  if (text.length <= SAFE_DIGITS) return true
  if (text.length > 100) return false
  const value = BigInt(text)
  return isUnsigned ? value < MAX_UNSIGNED : value < MAX_SIGNED && value >= -MAX_SIGNED
}

const ESCAPED_NAME = /\\([,= ])/g
const ESCAPED_TEXT = /\\(["\\])/g

/** In names a backslash escapes a comma, an equals sign and a space; before any other character it is a backslash. */
export const unescapeName = (text: string): string => text.replace(ESCAPED_NAME, '$1')

/** In texts a backslash escapes a quote and a backslash. */
export const unescapeText = (text: string): string => text.replace(ESCAPED_TEXT, '$1')
