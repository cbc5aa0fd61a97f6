/** The result of functions in this file that need bytes after `end`. Not returned if no bytes follow (`last`). */
export const MORE = -1

const APOSTROPHE = 39
const BACKSLASH = 92
const MAX_BLANKS = 64

/** Directives other than \S\: \X\, \X2\, \X4\, \X0\, \PA\ to \PI\, \N\ and \F\. */
const DIRECTIVES = /^(?:[XNF]\\|X[024]\\|P[A-I]\\)/

/**
 * Where a text of a STEP file continues after the backslash at `at`. The character after \S\ belongs to the text even
 * if it is an apostrophe (ISO 10303-21, LATIN_CODEPOINT): `\S\'` is a section sign. Some programs double the apostrophe
 * there too.
 */
export function afterBackslash(bytes: Buffer, at: number, end: number, last: boolean): number {
  if (at + 4 >= end && !last) return MORE
  if (at + 1 < end && bytes[at + 1] === BACKSLASH) return at + 2
  const directive = bytes.toString('latin1', at + 1, Math.min(at + 4, end))
  if (!directive.startsWith('S\\')) return at + 1 + (DIRECTIVES.exec(directive)?.[0].length ?? 0)
  if (at + 4 >= end) return Math.min(at + 4, end)
  if (bytes[at + 3] !== APOSTROPHE || bytes[at + 4] !== APOSTROPHE) return at + 4
  const closes = endsValue(bytes, at + 5, end, last)
  if (closes === MORE) return MORE
  return closes ? at + 4 : at + 5
}

/**
 * Whether the next character that is not a blank ends a value: a comma or a closing parenthesis. Also true if there are
 * only blanks up to the end of the file, or 64 of them.
 */
function endsValue(bytes: Buffer, from: number, end: number, last: boolean): boolean | typeof MORE {
  for (let at = from; at < end && at < from + MAX_BLANKS; at++) {
    const byte = bytes[at]!
    if (byte === 44 || byte === 41) return true
    if (byte > 32) return false
  }
  return from + MAX_BLANKS <= end || last ? true : MORE
}

/** The position of the closing apostrophe of the text that begins at `from`. */
export function textEnd(bytes: Buffer, from: number): number {
  let at = from + 1
  while (at < bytes.length) {
    const byte = bytes[at]!
    if (byte === BACKSLASH) at = afterBackslash(bytes, at, bytes.length, true)
    else if (byte !== APOSTROPHE) at++
    else if (bytes[at + 1] === APOSTROPHE) at += 2
    else return at
  }
  return bytes.length
}
